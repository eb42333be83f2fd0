/* The functions of SV-COMP that are no primitives. */

/* Where it does not hold, this is no run. */
void __VERIFIER_assume(int condition)
{
  if (condition == 0)
    abort();
}
