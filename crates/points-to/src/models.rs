//! What functions of the C library do with pointers. What is not said does not happen: nothing else is stored,
//! returned or kept.
//!
//! **Assumed:** a function with one of these names and without a body is the library's, unless it returns a pointer and
//! the library's does not.

use Effect::{
    Calls, Copies, Ends, Escapes, Keeps, MapsMemory, Moves, Resumes, ReturnsArgument, ReturnsElement, ReturnsFresh,
    ReturnsInto, ReturnsKept, ReturnsNull, ReturnsOpaque, ReturnsOpened, ReturnsStored, ReturnsUnknown, Scans,
    ScansList, Shuffles, StartsList, StoresFresh, StoresInto, StoresUnknown, Threads,
};

use hardbop_c_core::{Function, Module};

/// One thing that a function does; numbers are those of its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// Returns a new object.
    ReturnsFresh,
    /// Returns an object that is the library's own.
    ReturnsOpaque,
    /// Returns a new object that is the library's own, which nobody else knows.
    ReturnsOpened,
    /// Returns the argument.
    ReturnsArgument(usize),
    /// Returns a pointer to some byte of what the argument points to.
    ReturnsInto(usize),
    /// Returns a pointer to some element of what the argument points to; the second says how many bytes one has.
    ReturnsElement(usize, usize),
    /// Returns a new object, unless the argument, flags of `mmap`, lets others see it or puts it where the first says.
    MapsMemory(Option<usize>),
    /// Returns a pointer to nobody knows what.
    ReturnsUnknown,
    /// Returns a null pointer, if it cannot do what else is said of it.
    ReturnsNull,
    /// The new object holds what the argument points to.
    Moves(usize),
    /// Elements of what the argument points to change places; the second says how many bytes one has.
    Shuffles(usize, usize),
    /// Bytes are copied: to, from, the argument that says how many.
    Copies(usize, usize, Option<usize>),
    /// What the first points to gets a pointer into what the second points to.
    StoresInto(usize, usize),
    /// What it points to gets a pointer to a new object.
    StoresFresh(usize),
    /// What it points to gets a pointer to nobody knows what.
    StoresUnknown(usize),
    /// Arguments from this one on that point to pointers get one to a new object (`%ms`), or to nobody knows what (`%p`).
    Scans(usize),
    /// The same of those in a list.
    ScansList(usize),
    /// Moves the pointer that it points to within its object, and returns what was there.
    ReturnsStored(usize),
    /// Outside code gets the argument.
    Escapes(usize),
    /// Calls the argument.
    Calls(usize, &'static [Given]),
    /// Calls the argument in a new thread; what that returns is outside code's.
    Threads(usize, &'static [Given]),
    /// Threads go on.
    Resumes,
    /// Ends the run, if it does not return: code outside calls the functions that it was given.
    Ends,
    /// Remembers the argument, in one place for all calls of the function.
    Keeps(usize),
    /// Returns what is remembered.
    ReturnsKept,
    /// What it points to gets a pointer to the arguments of the calling function.
    StartsList(usize),
}

/// What is passed to a function that is called back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Given {
    /// The argument.
    Same(usize),
    /// A pointer to some element of what the argument points to; the second says how many bytes one has.
    Element(usize, usize),
    /// A number.
    Number,
    /// A pointer to nobody knows what.
    Unknown,
}

/// What a function without a body does, if it is known.
pub(crate) fn of(module: &Module, function: &Function) -> Option<&'static [Effect]> {
    let effects = find(&function.source_name).filter(|_| function.body.is_none())?;
    // A program's own `remove` that returns a pointer is not the library's.
    let returns_pointer = module.types.callee(function.ty).is_some_and(|ty| module.types.is_pointer(ty.result));
    let says_which = effects.iter().any(|effect| effect.returns());
    (says_which || !returns_pointer).then_some(effects)
}

/// Whether the run ends where a function without a body is called, and functions that were given away run there.
pub(crate) fn ends_run(module: &Module, function: &Function) -> bool {
    of(module, function).is_some_and(|effects| effects.contains(&Ends))
}

/// Whether threads go on in a function without a body.
pub(crate) fn resumes_threads(module: &Module, function: &Function) -> bool {
    of(module, function).is_some_and(|effects| effects.contains(&Resumes))
}

/// Which of its arguments a function without a body returns, if that is all it can return.
pub(crate) fn returned_argument(module: &Module, function: &Function) -> Option<usize> {
    let mut returned = of(module, function)?.iter().filter(|effect| effect.returns());
    match (returned.next(), returned.next()) {
        (Some(&ReturnsArgument(index)), None) => Some(index),
        _ => None,
    }
}

impl Effect {
    fn returns(&self) -> bool {
        match self {
            ReturnsFresh | ReturnsOpaque | ReturnsOpened | ReturnsArgument(_) | ReturnsInto(_) | ReturnsElement(..)
            | MapsMemory(_) | ReturnsUnknown | ReturnsStored(_) | ReturnsKept | ReturnsNull => true,
            Moves(_) | Shuffles(..) | Copies(..) | StoresInto(..) | StoresFresh(_) | StoresUnknown(_) | Scans(_)
            | ScansList(_) | Escapes(_) | Calls(..) | Threads(..) | Resumes | Ends | Keeps(_) | StartsList(_) => false,
        }
    }
}

fn find(name: &str) -> Option<&'static [Effect]> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let plain = plain.strip_prefix("__").and_then(|rest| rest.strip_suffix("_chk")).unwrap_or(plain);
    if plain == "__VERIFIER_nondet_pointer" {
        return Some(&[ReturnsUnknown]);
    }
    if plain.starts_with("__VERIFIER_") || plain.starts_with("is") && CLASSES.contains(&plain) {
        return Some(&[]);
    }
    let effects = |models: &'static [(&[&str], &'static [Effect])], name: &str| {
        models.iter().find(|(names, _)| names.contains(&name)).map(|&(_, effects)| effects)
    };
    let intrinsic = name.strip_prefix("__builtin_").and_then(|stem| effects(INTRINSICS, stem));
    intrinsic.or_else(|| effects(MODELS, plain))
}

/// Tests of characters.
const CLASSES: &[&str] = &[
    "isalnum", "isalpha", "isascii", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct",
    "isspace", "isupper", "isxdigit", "isnan", "isinf", "isfinite", "isatty",
];

/// What only compilers know, by names with their prefix, which is left out here.
#[rustfmt::skip]
const INTRINSICS: &[(&[&str], &[Effect])] = &[
    (&["alloca_with_align"], &[ReturnsFresh]),
    (&["unreachable", "trap", "prefetch", "expect", "object_size", "constant_p", "assume", "inf", "huge_val", "bswap16", "bswap32",
       "bswap64", "clrsb", "clrsbl", "clrsbll", "clz", "clzl", "clzll", "ctz", "ctzl", "ctzll", "parity", "parityl", "parityll",
       "popcount", "popcountl", "popcountll", "add_overflow", "sub_overflow", "mul_overflow", "cpu_init", "cpu_is",
       "cpu_supports", "va_end", "LINE"], &[]),
    (&["return_address", "frame_address", "thread_pointer", "FILE", "FUNCTION"], &[ReturnsOpaque]),
    (&["va_copy"], &[Copies(0, 1, None)]),
    (&["va_start"], &[StartsList(0)]),
    (&["assume_aligned"], &[ReturnsInto(0)]),
];

/// Names of functions and what they do.
#[rustfmt::skip]
const MODELS: &[(&[&str], &[Effect])] = &[
    (&["malloc", "calloc", "valloc", "memalign", "aligned_alloc", "alloca", "xmalloc", "xcalloc",
       "kmalloc", "kzalloc", "strdup", "strndup", "wcsdup"], &[ReturnsFresh]),
    (&["realloc", "reallocarray", "xrealloc"], &[ReturnsFresh, Moves(0)]),
    (&["mmap", "mmap64"], &[MapsMemory(Some(3))]),
    (&["shmat"], &[MapsMemory(None)]),
    (&["posix_memalign", "asprintf", "vasprintf", "getline", "getdelim"], &[StoresFresh(0)]),
    (&["free", "cfree", "kfree", "_exit", "_Exit", "abort", "assert_fail", "__assert_fail", "__assert",
       "__assert_rtn", "__assert_perror_fail", "setjmp", "_setjmp", "sigsetjmp", "longjmp", "siglongjmp"], &[]),
    (&["strlen", "strnlen", "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strcoll", "strspn", "strcspn", "memcmp",
       "bcmp", "bzero", "explicit_bzero", "strxfrm", "wcslen", "wcscmp", "wcsncmp", "wmemcmp", "atoi", "atol", "atoll", "atof"], &[]),
    (&["printf", "fprintf", "sprintf", "snprintf", "vprintf", "vfprintf", "vsprintf", "vsnprintf", "dprintf", "vdprintf",
       "puts", "fputs", "putchar", "putc", "fputc", "putchar_unlocked", "perror", "fwrite", "fflush", "getchar", "getc", "fgetc", "ungetc",
       "fread", "fclose", "fseek", "ftell", "fseeko", "ftello", "rewind", "feof", "ferror", "clearerr", "fileno",
       "setvbuf", "setbuf", "remove", "rename", "syslog", "warn", "warnx"], &[]),
    (&["scanf", "__isoc99_scanf"], &[Scans(1)]),
    (&["fscanf", "sscanf", "__isoc99_fscanf", "__isoc99_sscanf"], &[Scans(2)]),
    (&["vscanf", "vwscanf", "__isoc99_vscanf"], &[ScansList(1)]),
    (&["vfscanf", "vsscanf", "vfwscanf", "vswscanf", "__isoc99_vfscanf", "__isoc99_vsscanf"], &[ScansList(2)]),
    (&["exit", "quick_exit", "err", "errx", "verr", "verrx", "__end_elsewhere"], &[Ends]),
    (&["open", "close", "read", "write", "lseek", "pread", "pwrite", "stat", "fstat", "lstat", "access", "unlink", "mkdir",
       "rmdir", "chdir", "chmod", "fcntl", "pipe", "dup", "dup2", "fork", "waitpid", "wait", "getpid",
       "getppid", "getuid", "geteuid", "getgid", "getegid", "fsync", "fdatasync", "ftruncate", "truncate", "isatty", "sleep",
       "usleep", "nanosleep", "sched_yield", "munmap", "msync", "mprotect", "fchmod", "fchown", "utime", "utimes", "readlink",
       "symlink", "link", "sysconf", "getpagesize"], &[]),
    (&["system", "execl", "execlp", "execle", "execv", "execvp", "execve", "execvpe", "fexecve", "posix_spawn",
       "posix_spawnp"], &[]),
    (&["rand", "srand", "random", "srandom", "rand_r", "abs", "labs", "llabs", "time", "clock", "difftime", "mktime",
       "gettimeofday", "clock_gettime", "strftime", "toupper", "tolower", "sin", "cos", "tan", "asin", "acos", "atan", "atan2",
       "sinh", "cosh", "tanh", "exp", "log", "log10", "log2", "pow", "sqrt", "ceil", "floor", "fabs", "fmod", "modf", "frexp",
       "ldexp", "round", "trunc", "rint", "lrint", "lround", "cbrt", "hypot", "fmin", "fmax", "nan", "ffs",
       "ffsl", "ffsll", "signbit", "copysign"], &[]),
    (&["pthread_mutex_init", "pthread_mutex_lock", "pthread_mutex_unlock", "pthread_mutex_trylock", "pthread_mutex_destroy",
       "pthread_cond_init", "pthread_cond_wait", "pthread_cond_signal", "pthread_cond_broadcast", "pthread_cond_destroy",
       "pthread_attr_init", "pthread_attr_destroy", "pthread_attr_setdetachstate", "pthread_mutexattr_init",
       "pthread_mutexattr_settype", "pthread_mutexattr_destroy", "pthread_detach", "pthread_self", "pthread_equal",
       "sem_init", "sem_wait", "sem_post", "sem_destroy", "pthread_rwlock_init", "pthread_rwlock_rdlock",
       "pthread_rwlock_wrlock", "pthread_rwlock_unlock", "pthread_rwlock_destroy", "pthread_mutex_timedlock",
       "pthread_mutex_clocklock", "__take_lock",
       "pthread_spin_init", "pthread_spin_lock", "pthread_spin_trylock", "pthread_spin_unlock", "pthread_spin_destroy",
       "mtx_init", "mtx_lock", "mtx_trylock", "mtx_timedlock", "mtx_unlock", "mtx_destroy"], &[]),
    (&["mutex_init", "mutex_lock", "mutex_lock_nested", "mutex_lock_io", "mutex_lock_interruptible", "mutex_lock_killable",
       "mutex_trylock", "mutex_unlock", "mutex_is_locked", "mutex_destroy", "spin_lock_init", "spin_lock", "spin_lock_bh",
       "spin_lock_irq", "spin_lock_irqsave", "spin_lock_nested", "spin_trylock", "spin_trylock_bh", "spin_trylock_irq",
       "spin_unlock", "spin_unlock_bh", "spin_unlock_irq", "spin_unlock_irqrestore", "spin_is_locked", "raw_spin_lock",
       "raw_spin_lock_irq", "raw_spin_unlock", "raw_spin_unlock_irq"], &[]),
    (&["pthread_create"], &[Threads(2, &[Given::Same(3)])]),
    (&["thrd_create"], &[Threads(1, &[Given::Same(2)])]),
    (&["__start_thread"], &[Threads(0, &[Given::Same(1)])]),
    (&["pthread_exit"], &[Escapes(0), Resumes]),
    (&["pthread_join"], &[StoresUnknown(1), Resumes]),
    (&["thrd_exit", "thrd_join", "__resume_threads"], &[Resumes]),
    (&["pthread_once"], &[Calls(1, &[])]),
    (&["pthread_key_create"], &[Calls(1, &[Given::Unknown])]),
    (&["memcpy", "memmove", "__memcpy"], &[Copies(0, 1, Some(2)), ReturnsArgument(0)]),
    (&["mempcpy"], &[Copies(0, 1, Some(2)), ReturnsInto(0)]),
    (&["bcopy"], &[Copies(1, 0, Some(2))]),
    (&["memccpy"], &[Copies(0, 1, Some(3)), ReturnsInto(0)]),
    (&["memset", "wmemset", "strcpy", "strncpy", "strcat", "strncat", "wcscpy", "wcscat"], &[ReturnsArgument(0)]),
    (&["fgets", "gets"], &[ReturnsArgument(0), ReturnsNull]),
    (&["stpcpy", "stpncpy", "strchr", "strrchr", "strstr", "strcasestr", "strpbrk", "memchr", "memrchr", "rawmemchr",
       "strchrnul", "wcschr", "wcsrchr", "wcsstr", "memmem", "basename"], &[ReturnsInto(0)]),
    (&["strtok"], &[ReturnsInto(0), Keeps(0), ReturnsKept]),
    (&["strtok_r"], &[StoresInto(2, 0), ReturnsStored(2)]),
    (&["strsep"], &[ReturnsStored(0)]),
    (&["strtol", "strtoul", "strtoll", "strtoull", "strtod", "strtof", "strtold", "strtoimax", "strtoumax"],
     &[StoresInto(1, 0)]),
    (&["getcwd", "realpath", "tmpnam", "ctime_r", "asctime_r", "gmtime_r", "localtime_r"], &[ReturnsFresh, ReturnsArgument(0),
       ReturnsArgument(1)]),
    (&["getenv", "strerror", "setlocale", "ctime", "asctime", "strsignal", "gai_strerror", "__errno_location",
       "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc", "gmtime", "localtime", "localeconv",
       "freopen", "readdir", "getpwnam", "getpwuid", "gethostbyname", "dlopen",
       "ttyname", "inet_ntoa"], &[ReturnsOpaque]),
    (&["fopen", "fdopen", "popen", "tmpfile", "opendir"], &[ReturnsOpened]),
    (&["pclose", "closedir", "dlclose"], &[]),
    (&["qsort"], &[Shuffles(0, 2), Calls(3, &[Given::Element(0, 2), Given::Element(0, 2)])]),
    (&["qsort_r"], &[Shuffles(0, 2), Calls(3, &[Given::Element(0, 2), Given::Element(0, 2), Given::Same(4)])]),
    (&["bsearch"], &[Calls(4, &[Given::Same(0), Given::Element(1, 3)]), ReturnsElement(1, 3)]),
    (&["__move_elements"], &[Shuffles(0, 1)]),
    (&["lfind"], &[Calls(4, &[Given::Same(0), Given::Element(1, 3)]), ReturnsElement(1, 3)]),
    // What is not there is added.
    (&["lsearch"], &[Calls(4, &[Given::Same(0), Given::Element(1, 3)]), Copies(1, 0, Some(3)), Shuffles(1, 3),
       ReturnsElement(1, 3)]),
    (&["atexit", "at_quick_exit"], &[Calls(0, &[]), Escapes(0)]),
    (&["on_exit"], &[Calls(0, &[Given::Number, Given::Same(1)]), Escapes(0), Escapes(1)]),
    (&["signal", "sigset", "__sysv_signal", "bsd_signal"], &[Calls(1, &[Given::Number]), Keeps(1), ReturnsKept]),
];
