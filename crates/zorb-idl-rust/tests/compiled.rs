//! The texts on record compile without a warning, and do what they say.
#![allow(clippy::expect_used, clippy::panic)]
#![deny(warnings, missing_docs, missing_debug_implementations)]

extern crate zorb_core as zorb;

/// Made of `any.idl`.
pub mod any {
    include!("golden/any.rs");
}
/// Made of `bank.idl`.
pub mod bank {
    include!("golden/bank.rs");
}
/// Made of `edges.idl`.
pub mod edges {
    include!("golden/edges.rs");
}
/// Made of `extended.idl`.
pub mod extended {
    include!("golden/extended.rs");
}
/// Made of `hello.idl`.
pub mod hello {
    include!("golden/hello.rs");
}
/// Made of `interfaces.idl`.
pub mod interfaces {
    include!("golden/interfaces.rs");
}
/// Made of `local.idl`.
pub mod local {
    include!("golden/local.rs");
}
/// Made of `names.idl`.
pub mod names {
    include!("golden/names.rs");
}
/// Made of `reopened.idl`.
pub mod reopened {
    include!("golden/reopened.rs");
}
/// Made of `types.idl`.
pub mod types {
    include!("golden/types.rs");
}
/// Made of `unions.idl`.
pub mod unions {
    include!("golden/unions.rs");
}
/// Made of `valuetypes.idl`.
pub mod valuetypes {
    include!("golden/valuetypes.rs");
}

#[path = "compiled/calls.rs"]
mod calls;
#[path = "compiled/collocated.rs"]
mod collocated;
#[path = "compiled/extended.rs"]
mod extended_calls;
#[path = "compiled/local.rs"]
mod local_objects;
#[path = "compiled/operations.rs"]
mod operations;
#[path = "compiled/typed.rs"]
mod typed;
#[path = "compiled/values.rs"]
mod values;
#[path = "compiled/valuetypes.rs"]
mod valuetype_calls;
