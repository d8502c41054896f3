//! libFuzzer runs the target `naming`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::naming::TARGET.run)(octets));
