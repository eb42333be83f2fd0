//@ stage: c
int counter;

int f(int *p, int e) {
  int old = __sync_fetch_and_add(p, 3);
  int ok = __atomic_compare_exchange_n(&counter, &e, 9, 0, 5, 5);
  __atomic_load(p, &e, 5);
  __atomic_store_n(p, __atomic_exchange_n(&counter, 7, 5), 0);
  char flag = 0;
  if (__atomic_test_and_set(&flag, 5))
    __atomic_clear(&flag, 5);
  return old + ok + __sync_bool_compare_and_swap(p, e, 1) + __atomic_nand_fetch(p, 6, 0);
}
