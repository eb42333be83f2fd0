/* The functions of SV-COMP that are no primitives, and <assert.h>. */

/* Where it does not hold, this is no run. */
void __VERIFIER_assume(int condition)
{
  if (condition == 0)
    abort();
}

void __VERIFIER_error(void)
{
  abort();
}

void reach_error(void)
{
  abort();
}

void __assert_fail(const char *text, const char *file, unsigned line, const char *function)
{
  abort();
}

void __assert_rtn(const char *function, const char *file, int line, const char *text)
{
  abort();
}
