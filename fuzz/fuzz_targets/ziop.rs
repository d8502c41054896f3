//! libFuzzer runs the target `ziop`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::ziop::TARGET.run)(octets));
