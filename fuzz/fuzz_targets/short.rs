//! libFuzzer runs the target `short`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::short::TARGET.run)(octets));
