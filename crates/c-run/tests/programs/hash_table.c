#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
struct entry { char *key; int count; struct entry *next; };
struct table { struct entry **buckets; size_t size, used; };
static uint32_t hash(const char *s) { uint32_t h = 2166136261u; while (*s) { h ^= (unsigned char)*s++; h *= 16777619u; } return h; }
static void grow(struct table *t) {
    size_t size = t->size * 2; struct entry **b = calloc(size, sizeof *b);
    for (size_t i = 0; i < t->size; i++) for (struct entry *e = t->buckets[i], *next; e; e = next) { next = e->next; size_t k = hash(e->key) % size; e->next = b[k]; b[k] = e; }
    free(t->buckets); t->buckets = b; t->size = size;
}
static struct entry *find(struct table *t, const char *key) {
    if (t->used > t->size) grow(t);
    struct entry **b = &t->buckets[hash(key) % t->size];
    for (struct entry *e = *b; e; e = e->next) if (!strcmp(e->key, key)) return e;
    struct entry *e = malloc(sizeof *e); e->key = strdup(key); e->count = 0; e->next = *b; *b = e; t->used++;
    return e;
}
int main(void) {
    struct table t = { calloc(2, sizeof(struct entry *)), 2, 0 };
    const char *text = "the quick brown fox jumps over the lazy dog the fox and the dog are quick";
    char word[16]; int n = 0;
    for (const char *p = text;; p++) { if (*p == ' ' || !*p) { word[n] = 0; n = 0; find(&t, word)->count++; if (!*p) break; } else word[n++] = *p; }
    printf("%zu %zu\n", t.size, t.used);
    for (size_t i = 0; i < t.size; i++) for (struct entry *e = t.buckets[i]; e; e = e->next) printf("%s=%d ", e->key, e->count);
    puts("");
    for (size_t i = 0; i < t.size; i++) for (struct entry *e = t.buckets[i], *next; e; e = next) { next = e->next; free(e->key); free(e); }
    free(t.buckets);
    return 0;
}
