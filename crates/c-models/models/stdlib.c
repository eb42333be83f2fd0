/* <stdlib.h>.
 *
 * `malloc`, `calloc`, `realloc` and `free` are not here: other models are made of them.
 */

char *getenv(const char *name)
{
  return __VERIFIER_nondet_int() ? library_strings : 0;
}

char *secure_getenv(const char *name)
{
  return __VERIFIER_nondet_int() ? library_strings : 0;
}

char *realpath(const char *path, char *resolved)
{
  if (__VERIFIER_nondet_int())
    return 0;
  if (resolved == 0) {
    resolved = malloc(__VERIFIER_nondet_size_t());
    if (resolved == 0)
      return 0;
  }
  resolved[__VERIFIER_nondet_size_t()] = __VERIFIER_nondet_char();
  return resolved;
}

void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
  while (__VERIFIER_nondet_int()) {
    char *element = (char *)base + __VERIFIER_nondet_size_t() * size;
    if (compare(key, element) == 0)
      return element;
  }
  return 0;
}

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
  while (__VERIFIER_nondet_int()) {
    void *left = (char *)base + __VERIFIER_nondet_size_t() * size;
    void *right = (char *)base + __VERIFIER_nondet_size_t() * size;
    compare(left, right);
    /* Pointers change places with their like. */
    if (size == sizeof(void *))
      *(void **)left = *(void **)right;
    else
      __move_elements(left, size);
  }
}

void qsort_r(void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *argument)
{
  while (__VERIFIER_nondet_int()) {
    void *left = (char *)base + __VERIFIER_nondet_size_t() * size;
    void *right = (char *)base + __VERIFIER_nondet_size_t() * size;
    compare(left, right, argument);
    if (size == sizeof(void *))
      *(void **)left = *(void **)right;
    else
      __move_elements(left, size);
  }
}

/* What runs first at the end, with its argument where it takes one, and what runs after it, in any order. */
static void (*exit_handler)(void);
static void (*exit_handler_with)(int, void *);
static void *exit_argument;
static void (*earlier_handlers[2])(void);
static void (*earlier_handlers_with[2])(int, void *);
/* What it starts with belongs to no handler. */
static void *earlier_arguments[2] = {(void *)-1, (void *)-1};

int atexit(void (*handler)(void))
{
  if (__VERIFIER_nondet_int()) {
    if (exit_handler)
      earlier_handlers[__VERIFIER_nondet_int() & 1] = exit_handler;
    if (exit_handler_with) {
      earlier_handlers_with[__VERIFIER_nondet_int() & 1] = exit_handler_with;
      earlier_arguments[__VERIFIER_nondet_int() & 1] = exit_argument;
    }
    exit_handler = handler;
    exit_handler_with = 0;
  }
  return __VERIFIER_nondet_int();
}

int on_exit(void (*handler)(int, void *), void *argument)
{
  if (__VERIFIER_nondet_int()) {
    if (exit_handler)
      earlier_handlers[__VERIFIER_nondet_int() & 1] = exit_handler;
    if (exit_handler_with) {
      earlier_handlers_with[__VERIFIER_nondet_int() & 1] = exit_handler_with;
      earlier_arguments[__VERIFIER_nondet_int() & 1] = exit_argument;
    }
    exit_handler = 0;
    exit_handler_with = handler;
    exit_argument = argument;
  }
  return __VERIFIER_nondet_int();
}

/* What `exit` does before the run ends. */
void __run_exit_handlers(void)
{
  void (*handler)(void) = exit_handler;
  void (*handler_with)(int, void *) = exit_handler_with;
  void *argument = exit_argument;
  __end_elsewhere();
  exit_handler = 0;
  exit_handler_with = 0;
  if (handler)
    handler();
  if (handler_with)
    handler_with(__VERIFIER_nondet_int(), argument);
  while (__VERIFIER_nondet_int()) {
    __end_elsewhere();
    handler = exit_handler;
    handler_with = exit_handler_with;
    argument = exit_argument;
    exit_handler = 0;
    exit_handler_with = 0;
    if (!handler && !handler_with) {
      if (__VERIFIER_nondet_int()) {
        handler = earlier_handlers[__VERIFIER_nondet_int() & 1];
      } else {
        handler_with = earlier_handlers_with[__VERIFIER_nondet_int() & 1];
        argument = earlier_arguments[__VERIFIER_nondet_int() & 1];
      }
    }
    if (handler)
      handler();
    if (handler_with)
      handler_with(__VERIFIER_nondet_int(), argument);
  }
}

static void (*quick_exit_handlers[2])(void);

int at_quick_exit(void (*handler)(void))
{
  if (__VERIFIER_nondet_int())
    quick_exit_handlers[__VERIFIER_nondet_int() & 1] = handler;
  return __VERIFIER_nondet_int();
}

/* What `quick_exit` does before the run ends. */
void __run_quick_exit_handlers(void)
{
  while (__VERIFIER_nondet_int()) {
    void (*handler)(void) = quick_exit_handlers[__VERIFIER_nondet_int() & 1];
    __end_elsewhere();
    if (handler)
      handler();
  }
}

long strtol(const char *string, char **end, int base)
{
  if (end)
    *end = (char *)string + __VERIFIER_nondet_size_t();
  return __VERIFIER_nondet_long();
}

unsigned long strtoul(const char *string, char **end, int base)
{
  if (end)
    *end = (char *)string + __VERIFIER_nondet_size_t();
  return __VERIFIER_nondet_ulong();
}

long long strtoll(const char *string, char **end, int base)
{
  if (end)
    *end = (char *)string + __VERIFIER_nondet_size_t();
  return __VERIFIER_nondet_longlong();
}

unsigned long long strtoull(const char *string, char **end, int base)
{
  if (end)
    *end = (char *)string + __VERIFIER_nondet_size_t();
  return __VERIFIER_nondet_ulonglong();
}

float strtof(const char *string, char **end)
{
  if (end)
    *end = (char *)string + __VERIFIER_nondet_size_t();
  return __VERIFIER_nondet_float();
}

double strtod(const char *string, char **end)
{
  if (end)
    *end = (char *)string + __VERIFIER_nondet_size_t();
  return __VERIFIER_nondet_double();
}

long double strtold(const char *string, char **end)
{
  if (end)
    *end = (char *)string + __VERIFIER_nondet_size_t();
  return __VERIFIER_nondet_double();
}
