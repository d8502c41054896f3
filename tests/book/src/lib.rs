//! The programs of the book: compiled here, quoted there, and run by the tests.
//!
//! A Rust or IDL block of the book stands word for word in a file of this package (or in
//! `examples/hello`); `tests/pages.rs` compares them.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a program may unwrap its own locks")]

zorb::include_idl!("clock");
zorb::include_idl!("bank");
zorb::include_idl!("mapping");
