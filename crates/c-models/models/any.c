/* What models are made of.  None of these has a body: calls of them mean what their names say.
 *
 * Write models for what an analysis can use: which pointer comes back, whether it can be null, what is written where.
 * A write of many bytes is a write of one of them, since which one is open.  All elements of an array count as the
 * first, so a pointer to the first stands for one to any.
 */
typedef __typeof__(sizeof 0) size_t;
typedef __typeof__((char *)0 - (char *)0) ssize_t;
typedef __typeof__(L' ') wchar_t;

int __VERIFIER_nondet_int(void);
char __VERIFIER_nondet_char(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
long long __VERIFIER_nondet_longlong(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);
size_t __VERIFIER_nondet_size_t(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
/* That many bytes hold anything from here on, but no pointers that were not there before. */
void __VERIFIER_nondet_memory(void *memory, size_t size);
/* Code outside calls whom it was given, since the run ends. */
void __end_elsewhere(void);
/* A thread runs the function; those that there are go on. */
void __start_thread(void *(*run)(void *), void *argument);
void __resume_threads(void);
/* The lock is held from here on. */
void __take_lock(void *lock);
void *malloc(size_t size);
void *realloc(void *memory, size_t size);
/* Elements of so many bytes change places with others of the array. */
void __move_elements(void *element, size_t size);
/* What is printed is of no use; a text may say that it is counted. */
int vprintf(const char *format, __builtin_va_list arguments);

/* What does not return, whatever the program says of it. */
_Noreturn void abort(void);
_Noreturn void exit(int status);
_Noreturn void _exit(int status);
_Noreturn void _Exit(int status);
_Noreturn void quick_exit(int status);
_Noreturn void longjmp(void *environment, int value);
_Noreturn void _longjmp(void *environment, int value);
_Noreturn void siglongjmp(void *environment, int value);
_Noreturn void __assert_fail(const char *text, const char *file, unsigned line, const char *function);
_Noreturn void __assert_rtn(const char *function, const char *file, int line, const char *text);
_Noreturn void __assert_perror_fail(int error, const char *file, unsigned line, const char *function);
_Noreturn void __VERIFIER_error(void);
_Noreturn void reach_error(void);

/* Objects of the library's own.  They are arrays, since each stands for many. */
extern char library_strings[];
extern char library_objects[];
extern int library_numbers[];
extern unsigned short library_classes[];
