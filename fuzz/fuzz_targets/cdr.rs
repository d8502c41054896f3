//! libFuzzer runs the target `cdr`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::cdr::TARGET.run)(octets));
