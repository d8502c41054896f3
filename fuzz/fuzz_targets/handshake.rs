//! libFuzzer runs the target `handshake`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::handshake::TARGET.run)(octets));
