//! libFuzzer runs the target `type_code`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::type_code::TARGET.run)(octets));
