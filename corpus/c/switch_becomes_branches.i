//@ stage: c
int classify(int c) {
  int kind = 0;
  switch (c) {
    case '0' ... '9': kind = 1; break;
    case 'a': case 'b': kind = 2;
    default: kind++; break;
    case -1: return -1;
  }
  return kind;
}
void copy(char *to, const char *from, int count) {
  int n = (count + 3) / 4;
  switch (count % 4) {
    case 0: do { *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
  }
}
