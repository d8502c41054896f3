//! What the tests of the book share.
#![allow(dead_code, reason = "each test file takes what it needs")]

pub(crate) mod made;
pub(crate) mod naming;
pub(crate) mod pages;
