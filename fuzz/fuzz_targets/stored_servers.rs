//! libFuzzer runs the target `stored_servers`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::stored_servers::TARGET.run)(octets));
