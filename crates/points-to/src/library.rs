//! Functions of the C library of which the type does not say what they write.

/// Functions that may return more than once, or when something else has run meanwhile.
const RETURNING_AGAIN: &[&str] =
    &["setjmp", "_setjmp", "__sigsetjmp", "sigsetjmp", "__sigsetjmp_cancel", "vfork", "getcontext", "swapcontext"];

/// Functions that take pointers to what they do not write, whatever their prototype says.
const READERS: &[&str] = &[
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
    "__end_elsewhere",
    "__start_thread",
    "__resume_threads",
    "abort",
    "malloc",
    "va_end",
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

/// Functions that print their further arguments, through which they write at most how much that was.
const PRINTERS: &[&str] = &[
    "printf",
    "fprintf",
    "dprintf",
    "vprintf",
    "vfprintf",
    "vdprintf",
    "syslog",
    "vsyslog",
    "err",
    "verr",
    "errx",
    "verrx",
    "warn",
    "vwarn",
    "warnx",
    "vwarnx",
    "error",
    "error_at_line",
];

/// Those that print to memory.
const MEMORY_PRINTERS: &[&str] = &["sprintf", "snprintf", "asprintf", "vsprintf", "vsnprintf", "vasprintf"];

/// Functions that return memory filled with zeros.
const ZEROING: &[&str] = &["calloc", "xcalloc", "kzalloc", "mmap"];

/// Functions that return memory with what the first argument points to.
const MOVING: &[&str] = &["realloc", "reallocarray", "xrealloc"];

/// Functions whose argument behind a pointer says how many bytes there may be written.
const SIZED: &[&str] = &["read", "pread", "pread64", "recv", "recvfrom", "getrandom", "getentropy"];

/// Functions that start a thread.
const STARTING: &[&str] = &["pthread_create", "thrd_create"];

/// Functions that say who handles a signal.
const INSTALLING: &[&str] = &["signal", "sigset", "bsd_signal", "sysv_signal", "__sysv_signal", "sigaction", "sigvec"];

/// Variables of the library that are set before the program starts.
const STREAMS: &[&str] = &["stdin", "stdout", "stderr"];

/// Whether the variable is one of the library's that is set before the program starts.
pub fn is_stream(name: &str) -> bool {
    STREAMS.contains(&name)
}

/// Whether the function starts a thread.
pub fn starts_thread(plain: &str) -> bool {
    STARTING.contains(&plain)
}

/// Whether the function says who handles a signal.
pub fn installs_handler(plain: &str) -> bool {
    INSTALLING.contains(&plain)
}

/// Whether the argument behind a pointer says how many bytes there the function may write.
pub fn is_sized(plain: &str) -> bool {
    SIZED.contains(&plain)
}

/// Whether nothing is known where the function returns.
pub fn returns_again(name: &str) -> bool {
    RETURNING_AGAIN.contains(&plain(name))
}

/// Whether the function writes nothing that a pointer that it is given points to.
pub fn writes_nothing(plain: &str) -> bool {
    READERS.contains(&plain) || PRINTERS.contains(&plain)
}

/// Whether the function prints its further arguments as a format says.
pub fn prints(plain: &str) -> bool {
    PRINTERS.contains(&plain) || MEMORY_PRINTERS.contains(&plain)
}

/// Whether a format of `printf` has a `%n`, for which a number is written.
pub fn counts(format: &[u8]) -> bool {
    let is_modifier = |byte: &&u8| b"0123456789-+ #'.*$hlLjztqI".contains(byte);
    let mut rest = format.iter();
    while rest.any(|&byte| byte == b'%') {
        // `%%` is a conversion, too.
        if rest.find(|byte| !is_modifier(byte)) == Some(&b'n') {
            return true;
        }
    }
    false
}

/// Whether the function returns memory filled with zeros.
pub fn zeroes(plain: &str) -> bool {
    ZEROING.contains(&plain)
}

/// Whether the function returns memory with what the first argument points to.
pub fn moves(plain: &str) -> bool {
    MOVING.contains(&plain)
}

/// The name without what compilers put around it.
pub fn plain(name: &str) -> &str {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    plain.strip_prefix("__").and_then(|rest| rest.strip_suffix("_chk")).unwrap_or(plain)
}

#[cfg(test)]
mod tests {
    use super::counts;

    #[test]
    fn a_count_is_a_conversion() {
        for with in [&b"%n"[..], b"%5d%ln", b"%-3s%1$hhn", b"a%%n %n"] {
            assert!(counts(with), "{with:?}");
        }
        for without in [&b""[..], b"n", b"%%n", b"%d\n", b"%5ldn", b"100%"] {
            assert!(!counts(without), "{without:?}");
        }
    }
}
