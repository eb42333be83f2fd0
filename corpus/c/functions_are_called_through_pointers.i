//@ stage: calls
typedef int (*handler)(int);
int one(int x) { return x + 1; }
int two(int x) { return x + 2; }
int other(char *x) { return *x; }
struct operations { handler run; handler stop; };
static struct operations table = { one, two };
static handler chosen = one;
int dispatch(struct operations *o, int x) { return o->run(x) + (*o->stop)(x); }
int main(void) { chosen = two; return dispatch(&table, 1) + chosen(2) + other("x"); }
