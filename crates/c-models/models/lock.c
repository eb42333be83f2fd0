/* Locks that may not be had: what these return says whether the lock was taken.
 *
 * An analysis that has a rule for `__take_lock` gets these models, whatever else it says of the functions.
 */
int pthread_mutex_trylock(void *lock)
{
  int error = __VERIFIER_nondet_int();
  if (error)
    return error;
  __take_lock(lock);
  return 0;
}

int pthread_mutex_timedlock(void *lock, const void *until)
{
  int error = __VERIFIER_nondet_int();
  if (error)
    return error;
  __take_lock(lock);
  return 0;
}

int pthread_mutex_clocklock(void *lock, int clock, const void *until)
{
  int error = __VERIFIER_nondet_int();
  if (error)
    return error;
  __take_lock(lock);
  return 0;
}

int pthread_spin_trylock(void *lock)
{
  int error = __VERIFIER_nondet_int();
  if (error)
    return error;
  __take_lock(lock);
  return 0;
}

int mtx_trylock(void *lock)
{
  int error = __VERIFIER_nondet_int();
  if (error)
    return error;
  __take_lock(lock);
  return 0;
}

int mtx_timedlock(void *lock, const void *until)
{
  int error = __VERIFIER_nondet_int();
  if (error)
    return error;
  __take_lock(lock);
  return 0;
}

int mutex_lock_interruptible(void *lock)
{
  int error = __VERIFIER_nondet_int();
  if (error)
    return error;
  __take_lock(lock);
  return 0;
}

int mutex_lock_killable(void *lock)
{
  int error = __VERIFIER_nondet_int();
  if (error)
    return error;
  __take_lock(lock);
  return 0;
}

/* Those of the kernel that return whether they have it. */
int mutex_trylock(void *lock)
{
  if (__VERIFIER_nondet_int())
    return 0;
  __take_lock(lock);
  return 1;
}

int spin_trylock(void *lock)
{
  if (__VERIFIER_nondet_int())
    return 0;
  __take_lock(lock);
  return 1;
}

int spin_trylock_bh(void *lock)
{
  if (__VERIFIER_nondet_int())
    return 0;
  __take_lock(lock);
  return 1;
}

int spin_trylock_irq(void *lock)
{
  if (__VERIFIER_nondet_int())
    return 0;
  __take_lock(lock);
  return 1;
}

int raw_spin_trylock(void *lock)
{
  if (__VERIFIER_nondet_int())
    return 0;
  __take_lock(lock);
  return 1;
}
