//! libFuzzer runs the target `rudp`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::rudp::TARGET.run)(octets));
