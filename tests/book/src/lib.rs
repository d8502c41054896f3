//! The programs of the book, compiled and run by the tests.
//!
//! Every Rust or IDL block of the book is a verbatim part of a file of this package (or of
//! `examples/hello` or `examples/plug-in`); `tests/pages.rs` compares them.
#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "programs print, and unwrap their locks"
)]
#![allow(clippy::missing_errors_doc, reason = "the book says it")]

pub mod adapters;
pub mod asynchronous;
pub mod bridge;
pub mod buffers;
pub mod compression;
pub mod configuration;
pub mod distributable;
pub mod dynamic;
pub mod errors;
pub mod idl_compiler;
pub mod imr;
pub mod interceptors;
pub mod interface_repository;
pub mod mapping;
pub mod naming;
pub mod networks;
pub mod policies;
pub mod premarshalled;
pub mod protocols;
pub mod quickstart;
pub mod realtime;
pub mod references;
pub mod reply_handlers;
pub mod scheduling;
pub mod scheduling_service;
pub mod storage;
pub mod threads;
pub mod tls;
pub mod tutorial;
pub mod values;
pub mod views;

mod idl {
    #![allow(unreachable_pub, reason = "generated for crates that export it")]

    zorb::include_idl!("mapping");
}
