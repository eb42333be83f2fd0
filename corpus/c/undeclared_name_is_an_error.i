//@ stage: c
# 10 "driver.c"
int counter;
int next(void) { return countr + 1; }
