//! libFuzzer runs the target `json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::json::TARGET.run)(octets));
