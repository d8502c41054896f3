//! libFuzzer runs the target `bridge`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::bridge::TARGET.run)(octets));
