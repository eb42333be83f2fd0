#include <stdio.h>
enum op { PUSH, ADD, MUL, DUP, PRINT, JNZ, DEC, HALT };
static int run(const int *code) {
    static void *const labels[] = { &&push, &&add, &&mul, &&dup, &&print, &&jnz, &&dec, &&halt };
    int stack[16], *sp = stack, pc = 0, steps = 0;
#define NEXT do { steps++; goto *labels[code[pc++]]; } while (0)
    NEXT;
push: *sp++ = code[pc++]; NEXT;
add: sp--; sp[-1] += *sp; NEXT;
mul: sp--; sp[-1] *= *sp; NEXT;
dup: *sp = sp[-1]; sp++; NEXT;
print: printf("%d\n", sp[-1]); NEXT;
jnz: if (sp[-1]) pc = code[pc]; else pc++; NEXT;
dec: sp[-1]--; NEXT;
halt: return steps;
}
int main(void) {
    int code[] = { PUSH, 2, PUSH, 3, ADD, DUP, MUL, PRINT, PUSH, 10, DEC, PRINT, JNZ, 10, HALT };
    printf("%d steps\n", run(code));
    return 0;
}
