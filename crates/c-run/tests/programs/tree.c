#include <stdio.h>
#include <stdlib.h>
typedef struct tree { struct tree *child[2]; int key, height; } tree;
static int height(tree *t) { return t ? t->height : 0; }
static void update(tree *t) { int l = height(t->child[0]), r = height(t->child[1]); t->height = 1 + (l > r ? l : r); }
static tree *rotate(tree *t, int side) {
    tree *c = t->child[side];
    t->child[side] = c->child[!side]; c->child[!side] = t;
    update(t); update(c);
    return c;
}
static tree *balance(tree *t) {
    update(t);
    int d = height(t->child[0]) - height(t->child[1]);
    if (d > 1) {
        tree *l = t->child[0];
        if (height(l->child[0]) < height(l->child[1])) t->child[0] = rotate(l, 1);
        return rotate(t, 0);
    }
    if (d < -1) {
        tree *r = t->child[1];
        if (height(r->child[1]) < height(r->child[0])) t->child[1] = rotate(r, 0);
        return rotate(t, 1);
    }
    return t;
}
static tree *insert(tree *t, int key) {
    if (!t) { t = calloc(1, sizeof *t); t->key = key; t->height = 1; return t; }
    if (key == t->key) return t;
    int side = key > t->key;
    t->child[side] = insert(t->child[side], key);
    return balance(t);
}
static void show(const tree *t, int depth) {
    if (!t) return;
    show(t->child[0], depth + 1);
    printf("%*s%d(%d)\n", depth * 2, "", t->key, t->height);
    show(t->child[1], depth + 1);
}
static void destroy(tree *t) { if (t) { destroy(t->child[0]); destroy(t->child[1]); free(t); } }
int main(void) {
    tree *t = NULL;
    for (int i = 0; i < 40; i++) t = insert(t, (i * 37) % 41);
    show(t, 0);
    destroy(t);
    return 0;
}
