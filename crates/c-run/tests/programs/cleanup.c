/* The attribute `cleanup`: every way out of the scope of a variable. */
#include <stdio.h>
#include <stdlib.h>

#define CLEAN(f) __attribute__((cleanup(f)))

static void say(int *p) { printf("-%d ", *p); }
static void say_again(int *p) { printf("~%d ", *p); }
static void clear(int *p) { printf("0<%d ", *p); *p = 0; }
static void any(void *p) { printf("any%d ", *(int *)p); }
static void spell(char (*p)[2]) { printf("text %s ", *p); }
static int old(p) int *p; { printf("old%d ", *p); return 7; }

static void in_reverse_order(void)
{
  int a CLEAN(say) = 1, b = 2, c CLEAN(say_again) = 3;
  { int d CLEAN(say) = 4; printf("inner "); }
  b = a + c;
  int e CLEAN(say) = b;
  printf("outer ");
}

static void loops(int n)
{
  for (int i CLEAN(say) = 100; i < 100 + n; i++) {
    int a CLEAN(say) = i;
    if (i == 101) continue;
    int b CLEAN(say_again) = i;
    if (i == 103) break;
    printf("body ");
  }
  int k = 0;
  while (k < n) {
    int a CLEAN(say) = k++;
    if (a == 1) continue;
    do {
      int b CLEAN(say_again) = a;
      if (a == 2) break;
      if (a == 0) continue;
      printf("do ");
    } while (a > 100);
    if (a == 3) break;
  }
  do { int a CLEAN(say) = 8; if (n > 2) break; printf("once "); } while (0);
}

static void jumps(int n)
{
  int k = 0;
again:
  k++;
  int a CLEAN(say) = k;
  if (k < n) goto again;
  {
    int b CLEAN(say_again) = k;
    for (;;) {
      int c CLEAN(say) = k + 10;
      if (n == 1) goto inside;
      if (n == 2) goto outside;
      if (n == 3) goto end;
      goto next;
    next:
      printf("next ");
      int d CLEAN(say) = k + 20;
      goto same;
    same:
      break;
    }
  inside:
    printf("inside ");
  }
outside:
  printf("outside ");
end:
  printf("end ");
}

static void jumps_in(int n)
{
  if (n) goto in;
  {
    int a CLEAN(say) = 5;
    {
      int b CLEAN(say_again) = 6;
    in:
      a = b = 7;
      if (n == 2) goto out;
      printf("in ");
    }
  }
out:
  printf("out ");
}

static void switches(int n)
{
  switch (n) {
    int x CLEAN(say);
  case 1: x = 11; printf("one "); break;
  case 2:; x = 12; int y CLEAN(say_again) = 2; if (x == 12) printf("two ");
  case 3: x = 13; y = 23; printf("three "); break;
  case 4: { int z CLEAN(say) = 4; x = 14; y = 24; break; }
  default: x = 99; y = 98;
  }
  printf("after ");
}

static int uses_the_variable(int n) { int x CLEAN(clear) = n; if (n > 1) return x; return x + x * 10; }
static int calls_with_it(int n) { int x CLEAN(clear) = n; return uses_the_variable(x++) + x; }
static int constant(void) { int x CLEAN(clear) = 1; return 3; }
static void nothing(int n) { int x CLEAN(say) = n; if (n) return; return say_again(&x); }
static int from_inside(int n)
{
  int a CLEAN(clear) = n;
  for (;;) { int b CLEAN(clear) = a + 1; switch (n) { case 1: { int c CLEAN(clear) = b + 1; return a + b + c; } } n = 1; }
}
static void clear_behind(int **p) { printf("behind%d ", **p); **p = 0; }
static int behind_pointer(void) { int x = 1; int *y CLEAN(clear_behind) = &x; return *y + x * 10; }

struct pair { int a, b; };
static void clear_pair(struct pair *p) { printf("pair%d,%d ", p->a, p->b); p->a = p->b = 0; }
static struct pair whole(void) { struct pair p CLEAN(clear_pair) = { 1, 2 }; return p; }

static int expressions(int n)
{
  int a = ({ int x CLEAN(clear) = n; x += 1; x; });
  struct pair p = ({ struct pair q CLEAN(clear_pair) = { a, n }; q; });
  ({ int x CLEAN(say) = 30; printf("void "); });
  int b = ({ int x CLEAN(say) = 31; if (n == 2) goto out; 5; }) + ({ int y CLEAN(say_again) = 32; y; });
  int c = 1, d = c * 2 - ({ { int *z CLEAN(clear_behind) = &c; goto local; } local: 5; });
  if (({ int t CLEAN(say) = n; t > 0; }) && n) printf("true ");
  while (({ int t CLEAN(say) = n; n-- > 0; })) printf("loop ");
  return a + p.a + p.b + b + d;
out:
  return -1;
}

static void of_other_kinds(int n)
{
  int array[3] CLEAN(any) = { 40, 41, 42 };
  int variable[n] CLEAN(any);
  variable[0] = 43;
  char text[] CLEAN(spell) = "a";
  CLEAN(old) int promoted = 44, too = 45;
  static int lasting CLEAN(say) = 46;
  const int constant CLEAN(any) = 47;
  int several CLEAN(say) CLEAN(say_again) = 48;
  CLEAN(say) int both CLEAN(say_again) = 49;
}

static void stays_in(int n)
{
  static void *ways[] = { &&one, &&two };
  int a CLEAN(say) = 50;
  goto *ways[n];
one: { int b CLEAN(say) = 51; printf("one "); }
two: printf("two ");
}

/* As in Linux. */
struct mutex { int depth; };
static void mutex_lock(struct mutex *m) { printf("lock%d ", ++m->depth); }
static void mutex_unlock(struct mutex *m) { printf("unlock%d ", m->depth--); }
typedef struct mutex *class_mutex_t;
static inline class_mutex_t class_mutex_constructor(class_mutex_t t) { mutex_lock(t); return t; }
static inline void class_mutex_destructor(class_mutex_t *t) { if (*t) mutex_unlock(*t); }
static inline void *class_mutex_lock_ptr(class_mutex_t *t) { return *t; }
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define CLASS(name, var) class_##name##_t var CLEAN(class_##name##_destructor) = class_##name##_constructor
#define guard(name) CLASS(name, JOIN(guard_, __COUNTER__))
#define scoped_guard(name, args...) \
  for (CLASS(name, scope)(args), *done = NULL; class_##name##_lock_ptr(&scope) && !done; done = (void *)1)
#define __free(name) CLEAN(__free_##name)
#define no_free_ptr(p) ({ __auto_type ptr_ = (p); (p) = NULL; ptr_; })
#define return_ptr(p) return no_free_ptr(p)
static int live;
static void *kmalloc(int n) { live++; return malloc(n); }
static inline void __free_kfree(void *p) { void *q = *(void **)p; if (q) { live--; free(q); } }

static struct mutex m1, m2;
static int guarded(int n)
{
  guard(mutex)(&m1);
  if (n == 0) return m1.depth;
  scoped_guard(mutex, &m2) {
    if (n == 1) return m1.depth + m2.depth;
    if (n == 2) break;
    if (n == 3) continue;
    printf("work ");
  }
  return 10 + m1.depth + m2.depth;
}
static char *owned(int n)
{
  char *first __free(kfree) = kmalloc(1), *second __free(kfree) = NULL;
  if (n == 0) return NULL;
  second = kmalloc(2);
  second[0] = 'x';
  if (n == 1) return_ptr(second);
  return NULL;
}

/* As in GLib. */
typedef struct { int count; } Thing;
static void thing_unref(Thing *t) { if (--t->count == 0) { live--; free(t); } }
static inline void glib_autoptr_clear_Thing(Thing *p) { if (p) thing_unref(p); }
static inline void glib_autoptr_cleanup_Thing(Thing **p) { glib_autoptr_clear_Thing(*p); }
typedef Thing *Thing_autoptr;
#define g_autoptr(T) __attribute__((cleanup(glib_autoptr_cleanup_##T))) T##_autoptr
#define g_steal_pointer(pp) ({ void *ref = *(pp); *(pp) = NULL; ref; })
static Thing *thing_new(void) { Thing *t = kmalloc(sizeof *t); t->count = 1; return t; }
static Thing *stolen(int n)
{
  g_autoptr(Thing) a = thing_new();
  g_autoptr(Thing) b = NULL;
  if (n) { g_autoptr(Thing) c = thing_new(); b = g_steal_pointer(&c); }
  return n ? g_steal_pointer(&b) : NULL;
}

static void leaves_all(void) { int a CLEAN(say) = 60; printf("exit\n"); exit(m1.depth + live); }

int main(void)
{
  in_reverse_order(); puts("");
  for (int i = 0; i < 6; i++) { loops(i); puts(""); }
  for (int i = 1; i < 6; i++) { jumps(i); puts(""); }
  for (int i = 0; i < 3; i++) { jumps_in(i); puts(""); }
  for (int i = 0; i < 6; i++) { switches(i); puts(""); }
  printf("%d\n", uses_the_variable(1)); printf("%d\n", uses_the_variable(2));
  printf("%d\n", calls_with_it(3)); printf("%d\n", constant());
  nothing(0); nothing(1); puts("");
  printf("%d\n", from_inside(1)); printf("%d\n", from_inside(2)); printf("%d\n", behind_pointer());
  struct pair p = whole(); printf("%d %d\n", p.a, p.b);
  for (int i = 0; i < 4; i++) printf("%d\n", expressions(i));
  of_other_kinds(3); puts("");
  stays_in(0); stays_in(1); puts("");
  for (int i = 0; i < 5; i++) printf("%d\n", guarded(i));
  for (int i = 0; i < 3; i++) { char *text = owned(i); printf("%d %d\n", text ? text[0] : 0, live); __free_kfree(&text); }
  for (int i = 0; i < 2; i++) { Thing *t = stolen(i); printf("%d %d\n", t ? t->count : -1, live); glib_autoptr_clear_Thing(t); }
  int last CLEAN(say) = 70;
  if (live == 0) leaves_all();
}
