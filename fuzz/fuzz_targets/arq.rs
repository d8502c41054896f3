//! libFuzzer runs the target `arq`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::arq::TARGET.run)(octets));
