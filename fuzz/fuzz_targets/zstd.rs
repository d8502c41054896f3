//! libFuzzer runs the target `zstd`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::zstd::TARGET.run)(octets));
