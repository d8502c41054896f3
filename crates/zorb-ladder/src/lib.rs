//! The engines of a paper on optimizing a protocol engine, step by step: `zorb bench ladder` measures them.
//!
//! A. Gokhale and D. C. Schmidt took SunSoft's IIOP, found by profiles what it spends its time on, and changed it in four
//! steps. This crate has the engine as they found it and after each step:
//!
//! | Engine | Step |
//! |---|---|
//! | `interp0` | as found: types are interpreted from the octets of their TypeCodes, by calls through pointers |
//! | `interp1` | 1: functions that put and get numbers are expanded in place |
//! | `interp2` | 2: sizes and layouts are calculated once, visits merged into the traversal, needless work left out |
//! | `interp3` | 3: the receiver's code is split for the processor's cache |
//! | `interp4` | 4: the sender's, too |
//!
//! All write the octets that Zorb's own engines write. No program that is shipped contains them: the program `zorb-ladder`
//! runs them, for `zorb bench ladder` to count and time.
#![forbid(unsafe_code)]

mod cached;
mod engine;
mod error;
mod memory;
mod merged;
mod original;
mod split;
mod stream;
mod type_code;
mod workload;

pub use engine::{Engine, Form, Type, encode_dynamically};
pub use error::{Error, Result};
pub use memory::{Heap, SEQUENCE, store_sequence};
pub use type_code::{OwnedTypeCode, TypeCode};
pub use workload::Workload;
