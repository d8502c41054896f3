//! libFuzzer runs the target `usage`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::usage::TARGET.run)(octets));
