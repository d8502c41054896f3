//! libFuzzer runs the target `schedule`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::schedule::TARGET.run)(octets));
