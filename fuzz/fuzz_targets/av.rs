//! libFuzzer runs the target `av`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::av::TARGET.run)(octets));
