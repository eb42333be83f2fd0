/* <pthread.h> and <threads.h>.
 *
 * A thread is a call: it runs to its end where it is started, or not at all.  Where it is waited for it may run with what
 * is so there.  What threads have of their own is shared here: which thread asks is open.
 */
static void *thread_results[2] = {(void *)-1, (void *)-1};
static void *specific_values[2];
static void (*specific_destructors[2])(void *);

int pthread_create(void *thread, const void *attributes, void *(*run)(void *), void *argument)
{
  int error = __VERIFIER_nondet_int();
  __VERIFIER_nondet_memory(thread, sizeof(long));
  if (error)
    return error;
  __start_thread(run, argument);
  if (__VERIFIER_nondet_int()) {
    thread_results[__VERIFIER_nondet_int() & 1] = run(argument);
    while (__VERIFIER_nondet_int()) {
      void (*destructor)(void *) = specific_destructors[__VERIFIER_nondet_int() & 1];
      void *value = specific_values[__VERIFIER_nondet_int() & 1];
      if (destructor && value)
        destructor(value);
    }
  }
  return 0;
}

int thrd_create(void *thread, int (*run)(void *), void *argument)
{
  int error = __VERIFIER_nondet_int();
  __VERIFIER_nondet_memory(thread, sizeof(long));
  if (error)
    return error;
  __start_thread((void *(*)(void *))run, argument);
  if (__VERIFIER_nondet_int()) {
    run(argument);
    while (__VERIFIER_nondet_int()) {
      void (*destructor)(void *) = specific_destructors[__VERIFIER_nondet_int() & 1];
      void *value = specific_values[__VERIFIER_nondet_int() & 1];
      if (destructor && value)
        destructor(value);
    }
  }
  return 0;
}

int pthread_join(unsigned long thread, void **result)
{
  int error = __VERIFIER_nondet_int();
  if (error)
    return error;
  __resume_threads();
  if (result)
    *result = thread_results[__VERIFIER_nondet_int() & 1];
  return 0;
}

int thrd_join(unsigned long thread, int *result)
{
  int error = __VERIFIER_nondet_int();
  if (error)
    return error;
  __resume_threads();
  if (result)
    *result = __VERIFIER_nondet_int();
  return 0;
}

/* Other threads go on, and what this one has of its own is destroyed. */
void pthread_exit(void *result)
{
  __resume_threads();
  while (__VERIFIER_nondet_int()) {
    void (*destructor)(void *) = specific_destructors[__VERIFIER_nondet_int() & 1];
    void *value = specific_values[__VERIFIER_nondet_int() & 1];
    if (destructor && value)
      destructor(value);
  }
}

void thrd_exit(int result)
{
  __resume_threads();
  while (__VERIFIER_nondet_int()) {
    void (*destructor)(void *) = specific_destructors[__VERIFIER_nondet_int() & 1];
    void *value = specific_values[__VERIFIER_nondet_int() & 1];
    if (destructor && value)
      destructor(value);
  }
}

int pthread_key_create(unsigned *key, void (*destructor)(void *))
{
  int error = __VERIFIER_nondet_int();
  if (error)
    return error;
  *key = __VERIFIER_nondet_int();
  if (__VERIFIER_nondet_int())
    specific_destructors[__VERIFIER_nondet_int() & 1] = destructor;
  return 0;
}

int tss_create(unsigned *key, void (*destructor)(void *))
{
  int error = __VERIFIER_nondet_int();
  if (error)
    return error;
  *key = __VERIFIER_nondet_int();
  if (__VERIFIER_nondet_int())
    specific_destructors[__VERIFIER_nondet_int() & 1] = destructor;
  return 0;
}

int pthread_setspecific(unsigned key, const void *value)
{
  if (__VERIFIER_nondet_int())
    specific_values[__VERIFIER_nondet_int() & 1] = (void *)value;
  return __VERIFIER_nondet_int();
}

int tss_set(unsigned key, void *value)
{
  if (__VERIFIER_nondet_int())
    specific_values[__VERIFIER_nondet_int() & 1] = value;
  return __VERIFIER_nondet_int();
}

void *pthread_getspecific(unsigned key)
{
  return specific_values[__VERIFIER_nondet_int() & 1];
}

void *tss_get(unsigned key)
{
  return specific_values[__VERIFIER_nondet_int() & 1];
}
