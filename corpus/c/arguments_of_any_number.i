//@ stage: c
int sum(int n, ...) {
  __builtin_va_list list;
  int total = 0;
  __builtin_va_start(list, n);
  while (n-- > 0) total += __builtin_va_arg(list, int);
  __builtin_va_end(list);
  return total;
}
int three(void) { return sum(3, 1, (short)2, 'c'); }
