//! libFuzzer runs the target `certificate`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::certificate::TARGET.run)(octets));
