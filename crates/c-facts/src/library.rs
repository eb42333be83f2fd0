//! Functions of the C library of which the type does not say what they write.

/// Functions that take pointers to what they do not write, whatever their prototype says.
const READERS: &[&str] = &[
    "printf",
    "fprintf",
    "dprintf",
    "vprintf",
    "vfprintf",
    "puts",
    "fputs",
    "fputc",
    "putc",
    "putchar",
    "perror",
    "fwrite",
    "fflush",
    "fclose",
    "fseek",
    "ftell",
    "rewind",
    "feof",
    "ferror",
    "clearerr",
    "fileno",
    "ungetc",
    "free",
    "cfree",
    "kfree",
    "write",
    "close",
    "syslog",
    "err",
    "errx",
    "warn",
    "warnx",
    "strlen",
    "strcmp",
    "strncmp",
    "memcmp",
    "strspn",
    "strcspn",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "exit",
    "quick_exit",
    "verr",
    "verrx",
    "__end_elsewhere",
    "__start_thread",
    "__resume_threads",
    "abort",
    "malloc",
    "va_end",
    "va_start",
    "__assert_fail",
    "assert_fail",
    "expect",
    "object_size",
    "constant_p",
    "prefetch",
    "atexit",
    "at_quick_exit",
    "on_exit",
    "signal",
    "fgetc",
    "getc",
    "wcslen",
    "wcscmp",
    "putchar_unlocked",
];

/// Functions that return memory filled with zeros.
const ZEROING: &[&str] = &["calloc", "xcalloc", "kzalloc", "mmap"];

/// Functions that return memory with what the first argument points to.
const MOVING: &[&str] = &["realloc", "reallocarray", "xrealloc"];

/// Functions whose argument behind a pointer says how many bytes there may be written.
const SIZED: &[&str] = &["read", "pread", "pread64", "recv", "recvfrom", "getrandom", "getentropy"];

/// Whether the argument behind a pointer says how many bytes there the function may write.
pub(crate) fn is_sized(plain: &str) -> bool {
    SIZED.contains(&plain)
}

/// Whether the function writes nothing that a pointer that it is given points to.
pub(crate) fn writes_nothing(name: &str) -> bool {
    READERS.contains(&plain(name))
}

/// Whether the function returns memory filled with zeros.
pub(crate) fn zeroes(plain: &str) -> bool {
    ZEROING.contains(&plain)
}

/// Whether the function returns memory with what the first argument points to.
pub(crate) fn moves(plain: &str) -> bool {
    MOVING.contains(&plain)
}

/// The name without what compilers put around it.
pub(crate) fn plain(name: &str) -> &str {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    plain.strip_prefix("__").and_then(|rest| rest.strip_suffix("_chk")).unwrap_or(plain)
}
