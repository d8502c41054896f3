//! libFuzzer runs the target `realtime`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::realtime::TARGET.run)(octets));
