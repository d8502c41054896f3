//! libFuzzer runs the target `ior`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::ior::TARGET.run)(octets));
