//! The types of functions that compilers know: by a name with the prefix `__builtin_`, or the library's without a
//! declaration.
//!
//! A signature has a letter for the result and one for each parameter: `v` nothing, `b` `_Bool`, `i` int, `u` unsigned,
//! `h` unsigned short, `l` long, `U` unsigned long, `L` long long, `Q` unsigned long long, `z` `size_t`, `f` float, `d`
//! double, `D` long double, `C`, `F` and `X` complex double, float and long double, `p` `void *`, `q` `const void *`, `s`
//! `char *`, `t` `const char *`, `a` the address of a `va_list`, `.` anything more.

use crate::unit::Unit;
use hardbop_c_core::{FloatKind, FunctionId, IntKind, Parameters, Qualified, Qualifiers, Type, TypeId};
use hardbop_lang_c::ast::Name;

/// What only the compiler knows; the names keep their prefix.
const INTRINSICS: &[(&str, &str)] = &[
    ("FILE", "t"),
    ("FUNCTION", "t"),
    ("LINE", "i"),
    ("alloca", "pz"),
    ("alloca_with_align", "pzz"),
    ("bswap16", "hh"),
    ("bswap32", "uu"),
    ("bswap64", "QQ"),
    ("clrsb", "ii"),
    ("clrsbl", "il"),
    ("clrsbll", "iL"),
    ("clz", "iu"),
    ("clzl", "iU"),
    ("clzll", "iQ"),
    ("cpu_init", "i"),
    ("cpu_is", "it"),
    ("cpu_supports", "it"),
    ("ctz", "iu"),
    ("ctzl", "iU"),
    ("ctzll", "iQ"),
    ("extract_return_addr", "pp"),
    ("ffs", "ii"),
    ("ffsl", "il"),
    ("ffsll", "iL"),
    ("finite", "id"),
    ("finitef", "if"),
    ("finitel", "iD"),
    ("fpclassify", "iiiiiid"),
    ("frame_address", "pu"),
    ("isfinite", "id"),
    ("isgreater", "idd"),
    ("isgreaterequal", "idd"),
    ("isinf", "id"),
    ("isinf_sign", "id"),
    ("isinff", "if"),
    ("isinfl", "iD"),
    ("isless", "idd"),
    ("islessequal", "idd"),
    ("islessgreater", "idd"),
    ("isnan", "id"),
    ("isnanf", "if"),
    ("isnanl", "iD"),
    ("isnormal", "id"),
    ("isunordered", "idd"),
    ("longjmp", "vpi"),
    ("parity", "iu"),
    ("parityl", "iU"),
    ("parityll", "iQ"),
    ("popcount", "iu"),
    ("popcountl", "iU"),
    ("popcountll", "iQ"),
    ("return_address", "pu"),
    ("setjmp", "ip"),
    ("signbit", "id"),
    ("signbitf", "if"),
    ("signbitl", "iD"),
    ("stack_restore", "vp"),
    ("stack_save", "p"),
    ("thread_pointer", "p"),
    ("trap", "v"),
    ("unreachable", "v"),
    ("unwind_init", "v"),
    ("va_copy", "vaa"),
    ("va_end", "va"),
    ("va_start", "va."),
];

/// What the library has too, under the name without the prefix.
const LIBRARY: &[(&str, &str)] = &[
    ("__memcpy_chk", "ppqzz"),
    ("__memmove_chk", "ppqzz"),
    ("__mempcpy_chk", "ppqzz"),
    ("__memset_chk", "ppizz"),
    ("__printf_chk", "iit."),
    ("__snprintf_chk", "iszizt."),
    ("__sprintf_chk", "isizt."),
    ("__stpcpy_chk", "sstz"),
    ("__strcat_chk", "sstz"),
    ("__strcpy_chk", "sstz"),
    ("__strncat_chk", "sstzz"),
    ("__strncpy_chk", "sstzz"),
    ("__vsnprintf_chk", "iszizta"),
    ("__vsprintf_chk", "isizta"),
    ("_exit", "vi"),
    ("abort", "v"),
    ("abs", "ii"),
    ("acos", "dd"),
    ("asin", "dd"),
    ("atan", "dd"),
    ("atan2", "ddd"),
    ("bcmp", "iqqz"),
    ("bcopy", "vqpz"),
    ("bzero", "vpz"),
    ("cabs", "dC"),
    ("cabsf", "fF"),
    ("cabsl", "DX"),
    ("calloc", "pzz"),
    ("cbrt", "dd"),
    ("ceil", "dd"),
    ("ceilf", "ff"),
    ("ceill", "DD"),
    ("cimag", "dC"),
    ("cimagf", "fF"),
    ("cimagl", "DX"),
    ("conj", "CC"),
    ("conjf", "FF"),
    ("conjl", "XX"),
    ("copysign", "ddd"),
    ("copysignf", "fff"),
    ("copysignl", "DDD"),
    ("cos", "dd"),
    ("cosf", "ff"),
    ("creal", "dC"),
    ("crealf", "fF"),
    ("creall", "DX"),
    ("exit", "vi"),
    ("exp", "dd"),
    ("exp2", "dd"),
    ("fabs", "dd"),
    ("fabsf", "ff"),
    ("fabsl", "DD"),
    ("floor", "dd"),
    ("floorf", "ff"),
    ("floorl", "DD"),
    ("fma", "dddd"),
    ("fmaf", "ffff"),
    ("fmal", "DDDD"),
    ("fmax", "ddd"),
    ("fmaxf", "fff"),
    ("fmin", "ddd"),
    ("fminf", "fff"),
    ("fmod", "ddd"),
    ("fprintf", "ipt."),
    ("fputc", "iip"),
    ("fputs", "itp"),
    ("free", "vp"),
    ("fwrite", "zqzzp"),
    ("hypot", "ddd"),
    ("index", "sti"),
    ("isalnum", "ii"),
    ("isalpha", "ii"),
    ("isdigit", "ii"),
    ("islower", "ii"),
    ("isprint", "ii"),
    ("ispunct", "ii"),
    ("isspace", "ii"),
    ("isupper", "ii"),
    ("isxdigit", "ii"),
    ("labs", "ll"),
    ("ldexp", "ddi"),
    ("llabs", "LL"),
    ("llrint", "Ld"),
    ("log", "dd"),
    ("log10", "dd"),
    ("log2", "dd"),
    ("lrint", "ld"),
    ("lround", "ld"),
    ("malloc", "pz"),
    ("memchr", "pqiz"),
    ("memcmp", "iqqz"),
    ("memcpy", "ppqz"),
    ("memmove", "ppqz"),
    ("mempcpy", "ppqz"),
    ("memset", "ppiz"),
    ("nearbyint", "dd"),
    ("posix_memalign", "ippzz"),
    ("pow", "ddd"),
    ("powf", "fff"),
    ("printf", "it."),
    ("putchar", "ii"),
    ("puts", "it"),
    ("realloc", "ppz"),
    ("rindex", "sti"),
    ("rint", "dd"),
    ("rintf", "ff"),
    ("round", "dd"),
    ("roundf", "ff"),
    ("scanf", "it."),
    ("sin", "dd"),
    ("sinf", "ff"),
    ("snprintf", "iszt."),
    ("sprintf", "ist."),
    ("sqrt", "dd"),
    ("sqrtf", "ff"),
    ("sqrtl", "DD"),
    ("sscanf", "itt."),
    ("stpcpy", "sst"),
    ("stpncpy", "sstz"),
    ("strcasecmp", "itt"),
    ("strcat", "sst"),
    ("strchr", "sti"),
    ("strcmp", "itt"),
    ("strcpy", "sst"),
    ("strcspn", "ztt"),
    ("strdup", "st"),
    ("strlen", "zt"),
    ("strncasecmp", "ittz"),
    ("strncat", "sstz"),
    ("strncmp", "ittz"),
    ("strncpy", "sstz"),
    ("strndup", "stz"),
    ("strpbrk", "stt"),
    ("strrchr", "sti"),
    ("strspn", "ztt"),
    ("strstr", "stt"),
    ("tan", "dd"),
    ("toascii", "ii"),
    ("tolower", "ii"),
    ("toupper", "ii"),
    ("trunc", "dd"),
    ("truncf", "ff"),
    ("vfprintf", "ipta"),
    ("vprintf", "ita"),
    ("vscanf", "ita"),
    ("vsnprintf", "iszta"),
    ("vsprintf", "ista"),
    ("vsscanf", "itta"),
];

impl Unit<'_> {
    /// The function that a name with a compiler's prefix stands for, if we know it.
    pub fn builtin_function(&mut self, name: Name) -> Option<FunctionId> {
        let ast = self.ast;
        self.known_function(&ast.names[name])
    }

    /// The function that a spelling with a compiler's prefix stands for, if we know it.
    pub fn known_function(&mut self, spelling: &str) -> Option<FunctionId> {
        let stem = spelling.strip_prefix("__builtin_")?;
        if let Some(letters) = signature(INTRINSICS, stem) {
            let ty = self.signature_type(letters);
            let function = self.builtin(spelling, ty);
            self.module.functions[function].is_noreturn |= matches!(stem, "trap" | "unreachable" | "longjmp");
            return Some(function);
        }
        let letters = signature(LIBRARY, stem)?;
        if let Some(function) = self.file_function(stem) {
            return Some(function);
        }
        let ty = self.signature_type(letters);
        let function = self.builtin(stem, ty);
        self.module.functions[function].is_noreturn |= ends_program(stem);
        Some(function)
    }

    /// The type that `name` has where nothing declares it: the library's, or `int` of anything.
    pub fn library_type(&mut self, name: &str) -> TypeId {
        let known = if name == "alloca" { signature(INTRINSICS, name) } else { signature(LIBRARY, name) };
        match known {
            Some(letters) => self.signature_type(letters),
            None => {
                let int = self.int();
                self.module.types.function(int, Parameters::Unspecified)
            }
        }
    }

    /// The function type of a signature.
    pub fn signature_type(&mut self, letters: &str) -> TypeId {
        let mut types = letters.chars().filter_map(|letter| self.letter_type(letter));
        let result = types.next().expect("a signature has a result");
        let parameters = types.collect();
        let parameters = match letters.ends_with('.') {
            true => Parameters::Variadic(parameters),
            false => Parameters::Fixed(parameters),
        };
        self.module.types.function(result, parameters)
    }

    fn letter_type(&mut self, letter: char) -> Option<TypeId> {
        let types = &mut self.module.types;
        let kind = match letter {
            'b' => IntKind::Bool,
            'i' => IntKind::Int,
            'u' => IntKind::UnsignedInt,
            'h' => IntKind::UnsignedShort,
            'l' => IntKind::Long,
            'U' => IntKind::UnsignedLong,
            'L' => IntKind::LongLong,
            'Q' => IntKind::UnsignedLongLong,
            'z' => types.size_kind(),
            's' | 't' => IntKind::Char,
            'v' | 'p' | 'q' | 'a' | 'f' | 'd' | 'D' | 'C' | 'F' | 'X' => IntKind::Int,
            _ => return None,
        };
        let constant = Qualifiers { is_const: matches!(letter, 'q' | 't'), ..Qualifiers::NONE };
        Some(match letter {
            'v' => types.void(),
            'f' => types.float(FloatKind::Float),
            'd' => types.float(FloatKind::Double),
            'D' => types.float(FloatKind::LongDouble),
            'C' => types.intern(Type::Complex(FloatKind::Double)),
            'F' => types.intern(Type::Complex(FloatKind::Float)),
            'X' => types.intern(Type::Complex(FloatKind::LongDouble)),
            'p' | 'q' => {
                let ty = types.void();
                types.pointer_to_qualified(Qualified { ty, qualifiers: constant })
            }
            's' | 't' => {
                let ty = types.int(kind);
                types.pointer_to_qualified(Qualified { ty, qualifiers: constant })
            }
            'a' => {
                let list = types.intern(Type::VaList);
                types.pointer_to(list)
            }
            _ => types.int(kind),
        })
    }
}

/// Whether a function of the library does not return.
pub(crate) fn ends_program(name: &str) -> bool {
    matches!(name, "_exit" | "abort" | "exit")
}

fn signature(table: &'static [(&str, &str)], name: &str) -> Option<&'static str> {
    let position = table.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    Some(table[position].1)
}

#[cfg(test)]
mod tests {
    use super::{INTRINSICS, LIBRARY};

    #[test]
    fn tables_are_sorted() {
        assert!(INTRINSICS.is_sorted_by_key(|(name, _)| name));
        assert!(LIBRARY.is_sorted_by_key(|(name, _)| name));
    }
}
