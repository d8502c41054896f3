//! libFuzzer runs the target `server`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::server::TARGET.run)(octets));
