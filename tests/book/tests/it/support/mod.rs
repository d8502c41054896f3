//! Code shared by the tests of the book.
#![allow(dead_code, reason = "each test file takes what it needs")]

pub(crate) mod made;
pub(crate) mod naming;
pub(crate) mod pages;
