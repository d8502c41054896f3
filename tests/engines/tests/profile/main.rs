//! Code of which some operations are compiled and the others interpretive behaves as that for one engine: the tests are
//! those of `zorb-idl-rust`. And a program counts its calls, by which the IDL compiler then chooses.
#![forbid(unsafe_code)]
#![allow(clippy::expect_used, clippy::panic)]
#![deny(warnings, missing_docs, missing_debug_implementations)]

extern crate zorb_core as zorb;

macro_rules! generated {
    ($($name:ident)*) => {$(
        /// Generated from the fixture of this name.
        pub mod $name {
            include!(concat!(env!("OUT_DIR"), "/profiled/", stringify!($name), ".rs"));
        }
    )*};
}

generated!(any bank interfaces types unions upcalls);

#[path = "../../../../crates/zorb-idl-rust/tests/compiled/calls.rs"]
mod calls;
#[path = "../../../../crates/zorb-idl-rust/tests/compiled/collocated.rs"]
mod collocated;
mod round_trip;
#[path = "../../../../crates/zorb-idl-rust/tests/compiled/upcalls.rs"]
mod upcall_arguments;
