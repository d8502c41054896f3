//! libFuzzer runs the target `nano`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::nano::TARGET.run)(octets));
