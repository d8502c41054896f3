//! libFuzzer runs the target `connection`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::connection::TARGET.run)(octets));
