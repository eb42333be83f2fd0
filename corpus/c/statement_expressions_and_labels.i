//@ stage: c
int f(int);
int most(int a, int b) { return ({ int x = f(a), y = f(b); x > y ? x : y; }); }
int run(int op, int x) {
  static void *table[] = { &&add, &&sub, &&done };
  goto *table[op];
add: x++; goto done;
sub: x--;
done: return x;
}
void barrier(int *p) { asm volatile ("mfence %0" : "+m" (*p) : "r" (p[1]) : "memory"); }
