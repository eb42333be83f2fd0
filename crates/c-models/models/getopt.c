/* <getopt.h>.
 *
 * What stands behind an option is one of the arguments, or nothing.  That an option has none is in a text and seldom
 * looked at otherwise: what is in `optarg` then comes from the library, and is null to who tests it.
 */
struct option;
extern char *optarg;
extern int optind, opterr, optopt;

/* Where an option is a flag, the table says which variable is set. */
void __set_flags(const struct option *options);

int getopt(int count, char *const *arguments, const char *options)
{
  optind = __VERIFIER_nondet_int();
  optopt = __VERIFIER_nondet_int();
  char *argument = arguments[__VERIFIER_nondet_size_t()];
  if (__VERIFIER_nondet_int())
    __VERIFIER_nondet_memory(&argument, sizeof argument);
  optarg = argument;
  return __VERIFIER_nondet_int();
}

int getopt_long(int count, char *const *arguments, const char *options, const struct option *others, int *index)
{
  optind = __VERIFIER_nondet_int();
  optopt = __VERIFIER_nondet_int();
  char *argument = arguments[__VERIFIER_nondet_size_t()];
  if (__VERIFIER_nondet_int())
    __VERIFIER_nondet_memory(&argument, sizeof argument);
  optarg = argument;
  __set_flags(others);
  if (index && __VERIFIER_nondet_int())
    *index = __VERIFIER_nondet_int();
  return __VERIFIER_nondet_int();
}

int getopt_long_only(int count, char *const *arguments, const char *options, const struct option *others, int *index)
{
  optind = __VERIFIER_nondet_int();
  optopt = __VERIFIER_nondet_int();
  char *argument = arguments[__VERIFIER_nondet_size_t()];
  if (__VERIFIER_nondet_int())
    __VERIFIER_nondet_memory(&argument, sizeof argument);
  optarg = argument;
  __set_flags(others);
  if (index && __VERIFIER_nondet_int())
    *index = __VERIFIER_nondet_int();
  return __VERIFIER_nondet_int();
}
