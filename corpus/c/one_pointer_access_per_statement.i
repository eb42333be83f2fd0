//@ stage: c
struct node { struct node *next; int value; };
void swap(int *p, int *q) { int t = *p; *p = *q; *q = t; }
int sum(struct node *n) { int s = 0; while (n) { s += n->next->value + n->value; n = n->next; } return s; }
void shift(int *p, int n) { while (n--) *p++ = p[1]; }
