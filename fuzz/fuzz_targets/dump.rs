//! libFuzzer runs the target `dump`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::dump::TARGET.run)(octets));
