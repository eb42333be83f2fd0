//! libFuzzer's way to [`hardbop_fuzz::parse_c`].

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| hardbop_fuzz::parse_c(bytes));
