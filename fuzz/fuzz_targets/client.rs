//! libFuzzer runs the target `client`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::client::TARGET.run)(octets));
