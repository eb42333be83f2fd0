//! libFuzzer's way to [`hardbop_fuzz::read_hoa`].

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| hardbop_fuzz::read_hoa(bytes));
