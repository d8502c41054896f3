//! libFuzzer runs the target `ring`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::ring::TARGET.run)(octets));
