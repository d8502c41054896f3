//! Small interfaces, written the way the IDL compiler writes it.
//!
//! ```idl
//! #pragma prefix "zorb.test"
//! interface Adder {
//!   long add(in long left, in long right);
//!   sequence<octet> mirror(in sequence<octet> data);
//! };
//! interface Notice {
//!   oneway void post(in unsigned long number, in sequence<octet> data);
//!   long count();
//! };
//! ```
#![allow(dead_code, unreachable_pub, missing_debug_implementations, clippy::use_self)]

use zorb::codegen::{self, Octets};
use zorb::{ObjectRef, Result};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Adder(ObjectRef);

codegen::interface!(Adder(ObjectRef), "IDL:zorb.test/Adder:1.0", "Adder", []);

impl Adder {
    pub fn add(&self, left: i32, right: i32) -> Result<i32> {
        codegen::invoke!(self, add, [i32 => &left, i32 => &right], [i32])
    }

    pub fn mirror(&self, data: &[u8]) -> Result<Vec<u8>> {
        codegen::invoke!(self, mirror, [Octets => data], [Octets])
    }

    pub fn object(&self) -> &ObjectRef {
        &self.0
    }
}

pub trait AdderServant: Send + Sync + 'static {
    fn add(&self, left: i32, right: i32) -> Result<i32>;
    fn mirror(&self, data: &[u8]) -> Result<Vec<u8>>;
}

codegen::skeleton!(Adder, AdderServant, {
    0 "add" add(left: i32 => left, right: i32 => right) [result: i32],
    1 "mirror" mirror(data: Octets => data) [result: Octets],
});

pub struct Servant;

impl AdderServant for Servant {
    fn add(&self, left: i32, right: i32) -> Result<i32> {
        Ok(left.wrapping_add(right))
    }

    fn mirror(&self, data: &[u8]) -> Result<Vec<u8>> {
        Ok(data.to_vec())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Notice(ObjectRef);

codegen::interface!(Notice(ObjectRef), "IDL:zorb.test/Notice:1.0", "Notice", []);

impl Notice {
    pub fn post(&self, number: u32, data: &[u8]) -> Result<()> {
        codegen::oneway!(self, post, [u32 => &number, Octets => data])
    }

    pub fn count(&self) -> Result<i32> {
        codegen::invoke!(self, count, [], [i32])
    }

    pub fn object(&self) -> &ObjectRef {
        &self.0
    }
}

pub trait NoticeServant: Send + Sync + 'static {
    fn post(&self, number: u32, data: &[u8]);
    fn count(&self) -> Result<i32>;
}

codegen::skeleton!(Notice, NoticeServant, {
    0 "post" post(number: u32 => number, data: Octets => data) oneway,
    1 "count" count() [result: i32],
});
