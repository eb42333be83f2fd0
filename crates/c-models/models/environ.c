/* The environment, under both of its names.  What it is an analysis says by what this returns. */
extern char **environ, **__environ;
char **__environment(void);

void __set_environ(void)
{
  __environ = environ = __environment();
}
