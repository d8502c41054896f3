//! libFuzzer runs the target `imr`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::imr::TARGET.run)(octets));
