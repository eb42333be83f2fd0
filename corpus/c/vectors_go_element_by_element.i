//@ stage: c
typedef int v4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));

v4 add(v4 a, v4 b) {
  v4 c = a + b * 2;
  c[1] = 7;
  c = -a ^ (b << 1);
  return c > a;
}

float scale(f4 f, double _Complex z) {
  f = f * 2 + f;
  return f[0] + __real__ z;
}
