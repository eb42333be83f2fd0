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
const ZEROING: &[&str] = &["calloc", "xcalloc", "kzalloc", "mmap", "mmap64"];

/// Functions that return memory with what the first argument points to.
const MOVING: &[&str] = &["realloc", "reallocarray", "xrealloc"];

/// Functions whose argument behind a pointer says how many bytes there may be written.
const SIZED: &[&str] = &["read", "pread", "pread64", "recv", "recvfrom", "getrandom", "getentropy"];

/// Functions that read as a format says what they write behind their further arguments, and with `v` those in a list.
const SCANNERS: &[&str] = &["scanf", "fscanf", "sscanf", "wscanf", "fwscanf", "swscanf"];

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

/// How many elements the function may write that an argument points to; of most it is one, and of some as many as it is
/// told.
pub fn elements(plain: &str) -> Option<u64> {
    match plain {
        "pipe" => Some(2),
        "wcscpy" | "wcscat" => None,
        _ => Some(1),
    }
}

/// Whether the function writes what further arguments point to, or a list of these.
pub fn scans(plain: &str) -> bool {
    let plain = plain.strip_prefix("__isoc99_").or_else(|| plain.strip_prefix("__isoc23_")).unwrap_or(plain);
    SCANNERS.contains(&plain.strip_prefix('v').unwrap_or(plain))
}

/// Whether the function reads what an argument is, if it is a list of further arguments: some begin one, or end it.
pub fn reads_list(name: &str, argument: usize) -> bool {
    match plain(name) {
        "va_start" | "va_end" => false,
        "va_copy" => argument == 1,
        _ => true,
    }
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

/// The further arguments that a format of `printf` takes for conversions with one of these letters, the first being 0.
pub fn converted(format: &[u8], letters: &[u8]) -> Vec<usize> {
    let (mut found, mut next, mut rest) = (Vec::new(), 0, format);
    while let Some(start) = rest.iter().position(|&byte| byte == b'%') {
        rest = &rest[start + 1..];
        let (mut own, mut number, mut is_precision) = (None, 0usize, false);
        let end = rest.iter().position(|byte| !b"0123456789-+ #'.*$hlLjztqI".contains(byte));
        for &byte in &rest[..end.unwrap_or(rest.len())] {
            match byte {
                b'0'..=b'9' => number = number.saturating_mul(10).saturating_add(usize::from(byte - b'0')),
                b'$' => (own, number) = (number.checked_sub(1).or(own), 0),
                // A width or a precision is an argument, unless it has a number of its own.
                b'*' => (next, number) = (next + 1, 1),
                b'.' => (is_precision, number) = (true, 0),
                _ => {}
            }
        }
        let Some(end) = end else { break };
        match rest[end] {
            b'%' | b'm' => {}
            conversion => {
                let index = own.unwrap_or(next);
                next += usize::from(own.is_none());
                // Of a string nothing is read.
                let is_nothing = is_precision && number == 0 && conversion != b'n';
                found.extend((!is_nothing && letters.contains(&conversion)).then_some(index));
            }
        }
        rest = &rest[end + 1..];
    }
    found
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
    use super::converted;

    #[test]
    fn a_string_is_a_conversion() {
        let cases: [(&[u8], &[usize]); 10] = [
            (b"%s", &[0]),
            (b"%d %5s%%s", &[1]),
            (b"%*d %-.3s", &[2]),
            (b"%.*s %s", &[1, 2]),
            (b"%2$s %1$d", &[1]),
            (b"%ls%m%p", &[0]),
            (b"%.0s%.s", &[]),
            (b"100%", &[]),
            (b"%zu %lld %hhx %s", &[3]),
            (b"s\n", &[]),
        ];
        for (format, expected) in cases {
            assert_eq!(converted(format, b"sS"), expected, "{format:?}");
        }
    }

    #[test]
    fn a_count_is_a_conversion() {
        for (with, which) in [(&b"%n"[..], 0), (b"%5d%ln", 1), (b"%-3s%1$hhn", 0), (b"a%%n %n", 0), (b"%.n", 0)] {
            assert_eq!(converted(with, b"n"), [which], "{with:?}");
        }
        for without in [&b""[..], b"n", b"%%n", b"%d\n", b"%5ldn", b"100%"] {
            assert_eq!(converted(without, b"n"), [0; 0], "{without:?}");
        }
    }
}
