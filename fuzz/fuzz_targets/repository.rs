//! libFuzzer runs the target `repository`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::repository::TARGET.run)(octets));
