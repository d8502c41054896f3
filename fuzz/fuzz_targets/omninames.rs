//! libFuzzer runs the target `omninames`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::omninames::TARGET.run)(octets));
