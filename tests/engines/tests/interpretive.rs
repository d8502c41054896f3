//! The code that the IDL compiler generates for the interpretive engine behaves as that for the compiled one: the tests
//! are those of `zorb-idl-rust`.
#![forbid(unsafe_code)]
#![allow(clippy::expect_used, clippy::panic)]
#![deny(warnings, missing_docs, missing_debug_implementations)]

extern crate zorb_core as zorb;

macro_rules! generated {
    ($($name:ident)*) => {$(
        /// Generated from the fixture of this name.
        pub mod $name {
            include!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".rs"));
        }
    )*};
}

generated! {
    ami any bank deferred edges extended handlers hello interfaces local
    names reopened reserved types unions upcalls valuetypes views
}

#[path = "../../../crates/zorb-idl-rust/tests/compiled/calls.rs"]
mod calls;
#[path = "../../../crates/zorb-idl-rust/tests/compiled/collocated.rs"]
mod collocated;
#[path = "../../../crates/zorb-idl-rust/tests/compiled/deferred.rs"]
mod deferred_servants;
#[path = "../../../crates/zorb-idl-rust/tests/compiled/extended.rs"]
mod extended_calls;
#[path = "../../../crates/zorb-idl-rust/tests/compiled/local.rs"]
mod local_objects;
#[path = "../../../crates/zorb-idl-rust/tests/compiled/operations.rs"]
mod operations;
#[path = "../../../crates/zorb-idl-rust/tests/compiled/pending.rs"]
mod pending;
#[path = "../../../crates/zorb-idl-rust/tests/compiled/handlers.rs"]
mod reply_handlers;
#[path = "../../../crates/zorb-idl-rust/tests/compiled/typed.rs"]
mod typed;
#[path = "../../../crates/zorb-idl-rust/tests/compiled/upcalls.rs"]
mod upcall_arguments;
#[path = "../../../crates/zorb-idl-rust/tests/compiled/values.rs"]
mod values;
#[path = "../../../crates/zorb-idl-rust/tests/compiled/valuetypes.rs"]
mod valuetype_calls;
#[path = "../../../crates/zorb-idl-rust/tests/compiled/variable_views.rs"]
mod variable_views;
#[path = "../../../crates/zorb-idl-rust/tests/compiled/views.rs"]
mod views_of_calls;
