//! libFuzzer runs the target `giop`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::giop::TARGET.run)(octets));
