//! libFuzzer runs the target `miop`.
#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| (zorb_fuzz::targets::miop::TARGET.run)(octets));
