/* <error.h>: what is there for errors ends the run, if it is given a status. */
extern void (*error_print_progname)(void);
extern unsigned error_message_count;
extern int error_one_per_line;

void error(int status, int number, const char *format, ...)
{
  if (error_print_progname)
    error_print_progname();
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  vprintf(format, arguments);
  __builtin_va_end(arguments);
  error_message_count++;
  if (status)
    exit(status);
}

void error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...)
{
  /* Of one line it may have been called before. */
  if (error_one_per_line && __VERIFIER_nondet_int())
    return;
  if (error_print_progname)
    error_print_progname();
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  vprintf(format, arguments);
  __builtin_va_end(arguments);
  error_message_count++;
  if (status)
    exit(status);
}

/* <time.h>, <locale.h>, <unistd.h>, <dirent.h>, <pwd.h>, <netdb.h>, <dlfcn.h>: what comes back may be null. */
struct tm;
struct dirent;
struct passwd;
struct hostent;
struct __dirstream;

struct tm *localtime(const long *time)
{
  return __VERIFIER_nondet_int() ? (struct tm *)library_objects : 0;
}

struct tm *gmtime(const long *time)
{
  return __VERIFIER_nondet_int() ? (struct tm *)library_objects : 0;
}

struct tm *localtime_r(const long *time, struct tm *result)
{
  if (__VERIFIER_nondet_int())
    return 0;
  __VERIFIER_nondet_memory(result, 1);
  return result;
}

struct tm *gmtime_r(const long *time, struct tm *result)
{
  if (__VERIFIER_nondet_int())
    return 0;
  __VERIFIER_nondet_memory(result, 1);
  return result;
}

char *setlocale(int category, const char *locale)
{
  return __VERIFIER_nondet_int() ? library_strings : 0;
}

char *getcwd(char *path, size_t size)
{
  if (__VERIFIER_nondet_int())
    return 0;
  if (path == 0) {
    path = malloc(__VERIFIER_nondet_size_t());
    if (path == 0)
      return 0;
  }
  path[__VERIFIER_nondet_size_t()] = __VERIFIER_nondet_char();
  return path;
}

char *ttyname(int descriptor)
{
  return __VERIFIER_nondet_int() ? library_strings : 0;
}

struct __dirstream *opendir(const char *path)
{
  return __VERIFIER_nondet_int() ? (struct __dirstream *)library_objects : 0;
}

struct dirent *readdir(struct __dirstream *directory)
{
  return __VERIFIER_nondet_int() ? (struct dirent *)library_objects : 0;
}

struct passwd *getpwnam(const char *name)
{
  return __VERIFIER_nondet_int() ? (struct passwd *)library_objects : 0;
}

struct passwd *getpwuid(unsigned int user)
{
  return __VERIFIER_nondet_int() ? (struct passwd *)library_objects : 0;
}

struct hostent *gethostbyname(const char *name)
{
  return __VERIFIER_nondet_int() ? (struct hostent *)library_objects : 0;
}

void *dlopen(const char *path, int mode)
{
  return __VERIFIER_nondet_int() ? library_objects : 0;
}
