//! libFuzzer runs the target `sctp`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::sctp::TARGET.run)(octets));
