//! The golden files compile without warnings and behave as specified.
#![allow(clippy::expect_used, clippy::panic)]
#![deny(warnings, missing_docs, missing_debug_implementations)]

extern crate zorb_core as zorb;

/// Generated from `any.idl`.
pub mod any {
    include!("golden/any.rs");
}
/// Generated from `bank.idl`.
pub mod bank {
    include!("golden/bank.rs");
}
/// Generated from `deferred.idl`.
pub mod deferred {
    include!("golden/deferred.rs");
}
/// Generated from `edges.idl`.
pub mod edges {
    include!("golden/edges.rs");
}
/// Generated from `extended.idl`.
pub mod extended {
    include!("golden/extended.rs");
}
/// Generated from `handlers.idl`.
pub mod handlers {
    include!("golden/handlers.rs");
}
/// Generated from `hello.idl`.
pub mod hello {
    include!("golden/hello.rs");
}
/// Generated from `interfaces.idl`.
pub mod interfaces {
    include!("golden/interfaces.rs");
}
/// Generated from `local.idl`.
pub mod local {
    include!("golden/local.rs");
}
/// Generated from `names.idl`.
pub mod names {
    include!("golden/names.rs");
}
/// Generated from `reopened.idl`.
pub mod reopened {
    include!("golden/reopened.rs");
}
/// Generated from `reserved.idl`.
pub mod reserved {
    include!("golden/reserved.rs");
}
/// Generated from `types.idl`.
pub mod types {
    include!("golden/types.rs");
}
/// Generated from `unions.idl`.
pub mod unions {
    include!("golden/unions.rs");
}
/// Generated from `ami.idl`.
pub mod ami {
    include!("golden/ami.rs");
}
/// Generated from `upcalls.idl`.
pub mod upcalls {
    include!("golden/upcalls.rs");
}
/// Generated from `views.idl`.
pub mod views {
    include!("golden/views.rs");
}
/// Generated from `valuetypes.idl`.
pub mod valuetypes {
    include!("golden/valuetypes.rs");
}

#[path = "compiled/calls.rs"]
mod calls;
#[path = "compiled/collocated.rs"]
mod collocated;
#[path = "compiled/deferred.rs"]
mod deferred_servants;
#[path = "compiled/extended.rs"]
mod extended_calls;
#[path = "compiled/local.rs"]
mod local_objects;
#[path = "compiled/operations.rs"]
mod operations;
#[path = "compiled/pending.rs"]
mod pending;
#[path = "compiled/handlers.rs"]
mod reply_handlers;
#[path = "compiled/typed.rs"]
mod typed;
#[path = "compiled/upcalls.rs"]
mod upcall_arguments;
#[path = "compiled/values.rs"]
mod values;
#[path = "compiled/valuetypes.rs"]
mod valuetype_calls;
#[path = "compiled/variable_views.rs"]
mod variable_views;
#[path = "compiled/views.rs"]
mod views_of_calls;
