//@ stage: c
int f(int);
int both(int a, int b) { return a && f(b); }
int either(int a, int b) { if (a == 1 || f(b) > 2) return 1; return 0; }
int chosen(int a, int b) { int x = a ? f(a) : b; return x ?: 7; }
