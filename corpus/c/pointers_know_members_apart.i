//@ stage: points-to
void *malloc(unsigned long);
struct pair { int *left; int *right; };
int a, b;
static struct pair *make(void) { struct pair *p = malloc(sizeof(struct pair)); p->left = &a; p->right = &b; return p; }
int main(void) {
  struct pair local, *heap = make();
  local.left = heap->right;
  int *l = local.left, *r = heap->left, **pp = &local.right;
  *pp = l;
  int *again = local.right;
  return *l + *r + *again;
}
