//! libFuzzer runs the target `engines`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::engines::TARGET.run)(octets));
