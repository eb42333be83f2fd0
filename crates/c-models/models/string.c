/* <string.h> and <strings.h>.
 *
 * `memcpy`, `memmove` and `memset` are not here: C has no way to copy memory and keep its types.  Functions that only
 * look, such as `strlen`, return any number and need no model.
 */

char *strcpy(char *to, const char *from)
{
  to[__VERIFIER_nondet_size_t()] = from[__VERIFIER_nondet_size_t()];
  return to;
}

char *strcat(char *to, const char *from)
{
  to[__VERIFIER_nondet_size_t()] = from[__VERIFIER_nondet_size_t()];
  return to;
}

char *stpcpy(char *to, const char *from)
{
  to[__VERIFIER_nondet_size_t()] = from[__VERIFIER_nondet_size_t()];
  return to + __VERIFIER_nondet_size_t();
}

char *strncpy(char *to, const char *from, size_t size)
{
  if (__VERIFIER_nondet_int())
    to[__VERIFIER_nondet_size_t()] = from[__VERIFIER_nondet_size_t()];
  else if (size)
    to[__VERIFIER_nondet_size_t()] = 0;
  return to;
}

char *strncat(char *to, const char *from, size_t size)
{
  if (__VERIFIER_nondet_int())
    to[__VERIFIER_nondet_size_t()] = from[__VERIFIER_nondet_size_t()];
  else
    to[__VERIFIER_nondet_size_t()] = 0;
  return to;
}

char *stpncpy(char *to, const char *from, size_t size)
{
  if (__VERIFIER_nondet_int())
    to[__VERIFIER_nondet_size_t()] = from[__VERIFIER_nondet_size_t()];
  else if (size)
    to[__VERIFIER_nondet_size_t()] = 0;
  return to + __VERIFIER_nondet_size_t();
}

wchar_t *wcscpy(wchar_t *to, const wchar_t *from)
{
  to[__VERIFIER_nondet_size_t()] = from[__VERIFIER_nondet_size_t()];
  return to;
}

wchar_t *wcscat(wchar_t *to, const wchar_t *from)
{
  to[__VERIFIER_nondet_size_t()] = from[__VERIFIER_nondet_size_t()];
  return to;
}

char *strdup(const char *string)
{
  char *copy = malloc(__VERIFIER_nondet_size_t());
  if (copy)
    copy[__VERIFIER_nondet_size_t()] = string[__VERIFIER_nondet_size_t()];
  return copy;
}

char *strndup(const char *string, size_t size)
{
  char *copy = malloc(__VERIFIER_nondet_size_t());
  if (copy == 0)
    return 0;
  if (__VERIFIER_nondet_int())
    copy[__VERIFIER_nondet_size_t()] = string[__VERIFIER_nondet_size_t()];
  else
    copy[__VERIFIER_nondet_size_t()] = 0;
  return copy;
}

wchar_t *wcsdup(const wchar_t *string)
{
  wchar_t *copy = malloc(__VERIFIER_nondet_size_t());
  if (copy)
    copy[__VERIFIER_nondet_size_t()] = string[__VERIFIER_nondet_size_t()];
  return copy;
}

char *strchr(const char *string, int wanted)
{
  if (__VERIFIER_nondet_int())
    return 0;
  return (char *)string + __VERIFIER_nondet_size_t();
}

char *strrchr(const char *string, int wanted)
{
  if (__VERIFIER_nondet_int())
    return 0;
  return (char *)string + __VERIFIER_nondet_size_t();
}

char *index(const char *string, int wanted)
{
  if (__VERIFIER_nondet_int())
    return 0;
  return (char *)string + __VERIFIER_nondet_size_t();
}

char *rindex(const char *string, int wanted)
{
  if (__VERIFIER_nondet_int())
    return 0;
  return (char *)string + __VERIFIER_nondet_size_t();
}

char *strchrnul(const char *string, int wanted)
{
  return (char *)string + __VERIFIER_nondet_size_t();
}

char *strstr(const char *string, const char *wanted)
{
  if (__VERIFIER_nondet_int())
    return 0;
  return (char *)string + __VERIFIER_nondet_size_t();
}

char *strcasestr(const char *string, const char *wanted)
{
  if (__VERIFIER_nondet_int())
    return 0;
  return (char *)string + __VERIFIER_nondet_size_t();
}

char *strpbrk(const char *string, const char *wanted)
{
  if (__VERIFIER_nondet_int())
    return 0;
  return (char *)string + __VERIFIER_nondet_size_t();
}

wchar_t *wcschr(const wchar_t *string, wchar_t wanted)
{
  if (__VERIFIER_nondet_int())
    return 0;
  return (wchar_t *)string + __VERIFIER_nondet_size_t();
}

wchar_t *wcsrchr(const wchar_t *string, wchar_t wanted)
{
  if (__VERIFIER_nondet_int())
    return 0;
  return (wchar_t *)string + __VERIFIER_nondet_size_t();
}

wchar_t *wcsstr(const wchar_t *string, const wchar_t *wanted)
{
  if (__VERIFIER_nondet_int())
    return 0;
  return (wchar_t *)string + __VERIFIER_nondet_size_t();
}

void *memchr(const void *memory, int wanted, size_t size)
{
  if (__VERIFIER_nondet_int())
    return 0;
  return (char *)memory + __VERIFIER_nondet_size_t();
}

void *memrchr(const void *memory, int wanted, size_t size)
{
  if (__VERIFIER_nondet_int())
    return 0;
  return (char *)memory + __VERIFIER_nondet_size_t();
}

void *rawmemchr(const void *memory, int wanted)
{
  return (char *)memory + __VERIFIER_nondet_size_t();
}

void *memmem(const void *memory, size_t size, const void *wanted, size_t length)
{
  if (__VERIFIER_nondet_int())
    return 0;
  return (char *)memory + __VERIFIER_nondet_size_t();
}

/* Where the next call with a null pointer goes on. */
static char *strtok_rest;

char *strtok(char *string, const char *separators)
{
  char *token = string ? string : strtok_rest;
  if (token == 0 || __VERIFIER_nondet_int()) {
    strtok_rest = 0;
    return 0;
  }
  token[__VERIFIER_nondet_size_t()] = 0;
  token = token + __VERIFIER_nondet_size_t();
  strtok_rest = __VERIFIER_nondet_int() ? token : 0;
  return token;
}

/* What is left in `*rest` is the library's business; some leave a null pointer there behind the last token. */
char *strtok_r(char *string, const char *separators, char **rest)
{
  char *token = string ? string : *rest;
  if (token == 0 || __VERIFIER_nondet_int()) {
    *rest = __VERIFIER_nondet_int() ? token : 0;
    return 0;
  }
  token[__VERIFIER_nondet_size_t()] = 0;
  token = token + __VERIFIER_nondet_size_t();
  *rest = __VERIFIER_nondet_int() ? token : 0;
  return token;
}

char *strsep(char **rest, const char *separators)
{
  char *token = *rest;
  if (token == 0)
    return 0;
  if (__VERIFIER_nondet_int()) {
    *rest = 0;
    return token;
  }
  token[__VERIFIER_nondet_size_t()] = 0;
  *rest = token + __VERIFIER_nondet_size_t();
  return token;
}

char *strerror(int number)
{
  return library_strings;
}
