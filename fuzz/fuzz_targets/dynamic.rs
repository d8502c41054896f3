//! libFuzzer runs the target `dynamic`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::dynamic::TARGET.run)(octets));
