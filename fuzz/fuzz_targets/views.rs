//! libFuzzer runs the target `views`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::views::TARGET.run)(octets));
