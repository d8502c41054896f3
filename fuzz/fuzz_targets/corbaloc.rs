//! libFuzzer runs the target `corbaloc`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::corbaloc::TARGET.run)(octets));
