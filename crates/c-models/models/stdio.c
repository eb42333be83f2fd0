/* <stdio.h>.
 *
 * A structure in a prototype stands for whatever structure the program has there.
 * `printf`, `scanf` and their like are not here: what they do depends on a text.  Models of what prints call one of them.
 */
struct _IO_FILE;
int fclose(struct _IO_FILE *file);

struct _IO_FILE *fopen(const char *path, const char *mode)
{
  return __VERIFIER_nondet_int() ? (struct _IO_FILE *)library_objects : 0;
}

struct _IO_FILE *fopen64(const char *path, const char *mode)
{
  return __VERIFIER_nondet_int() ? (struct _IO_FILE *)library_objects : 0;
}

struct _IO_FILE *fdopen(int descriptor, const char *mode)
{
  return __VERIFIER_nondet_int() ? (struct _IO_FILE *)library_objects : 0;
}

struct _IO_FILE *freopen(const char *path, const char *mode, struct _IO_FILE *file)
{
  if (__VERIFIER_nondet_int()) {
    fclose(file);
    return 0;
  }
  return file;
}

struct _IO_FILE *freopen64(const char *path, const char *mode, struct _IO_FILE *file)
{
  if (__VERIFIER_nondet_int()) {
    fclose(file);
    return 0;
  }
  return file;
}

struct _IO_FILE *tmpfile(void)
{
  return __VERIFIER_nondet_int() ? (struct _IO_FILE *)library_objects : 0;
}

struct _IO_FILE *popen(const char *command, const char *mode)
{
  return __VERIFIER_nondet_int() ? (struct _IO_FILE *)library_objects : 0;
}

char *tmpnam(char *name)
{
  if (__VERIFIER_nondet_int())
    return 0;
  if (name == 0)
    return library_strings;
  name[__VERIFIER_nondet_size_t()] = __VERIFIER_nondet_char();
  return name;
}

char *fgets(char *line, int size, struct _IO_FILE *file)
{
  if (__VERIFIER_nondet_int())
    return 0;
  line[__VERIFIER_nondet_size_t()] = __VERIFIER_nondet_char();
  return __VERIFIER_nondet_int() ? line : 0;
}

char *gets(char *line)
{
  if (__VERIFIER_nondet_int())
    return 0;
  line[__VERIFIER_nondet_size_t()] = __VERIFIER_nondet_char();
  return __VERIFIER_nondet_int() ? line : 0;
}

ssize_t getline(char **line, size_t *size, struct _IO_FILE *file)
{
  char *text = *line;
  if (text == 0 || __VERIFIER_nondet_int()) {
    text = realloc(text, __VERIFIER_nondet_size_t());
    if (text == 0)
      return -1;
    *line = text;
    *size = __VERIFIER_nondet_size_t();
  }
  text[__VERIFIER_nondet_size_t()] = __VERIFIER_nondet_char();
  return __VERIFIER_nondet_long();
}

ssize_t getdelim(char **line, size_t *size, int end, struct _IO_FILE *file)
{
  char *text = *line;
  if (text == 0 || __VERIFIER_nondet_int()) {
    text = realloc(text, __VERIFIER_nondet_size_t());
    if (text == 0)
      return -1;
    *line = text;
    *size = __VERIFIER_nondet_size_t();
  }
  text[__VERIFIER_nondet_size_t()] = __VERIFIER_nondet_char();
  return __VERIFIER_nondet_long();
}

/* Where there is no memory, `*text` is as it was, or null. */
int asprintf(char **text, const char *format, ...)
{
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  vprintf(format, arguments);
  __builtin_va_end(arguments);
  char *made = malloc(__VERIFIER_nondet_size_t());
  if (made == 0) {
    if (__VERIFIER_nondet_int())
      *text = 0;
    return -1;
  }
  *text = made;
  made[__VERIFIER_nondet_size_t()] = __VERIFIER_nondet_char();
  return __VERIFIER_nondet_int();
}

int vasprintf(char **text, const char *format, __builtin_va_list arguments)
{
  vprintf(format, arguments);
  char *made = malloc(__VERIFIER_nondet_size_t());
  if (made == 0) {
    if (__VERIFIER_nondet_int())
      *text = 0;
    return -1;
  }
  *text = made;
  made[__VERIFIER_nondet_size_t()] = __VERIFIER_nondet_char();
  return __VERIFIER_nondet_int();
}
