//! libFuzzer runs the target `idl`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::idl::TARGET.run)(octets));
