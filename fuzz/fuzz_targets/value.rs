//! libFuzzer runs the target `value`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::value::TARGET.run)(octets));
