//! libFuzzer runs the target `options`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::options::TARGET.run)(octets));
