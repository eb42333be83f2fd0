//@ stage: c
int f(int x, unsigned y, long *r) {
  unsigned char c;
  unsigned __int128 p = (unsigned __int128)x * y;
  int o = __builtin_add_overflow(x, y, &c) + __builtin_mul_overflow(x, 4, r);
  if (__builtin_expect(o && __builtin_mul_overflow_p(x, y, (char)0), 0))
    return __builtin_clz(y) + __builtin_popcountll(p);
  return _Generic(x, int: o, default: c);
}
