//! The interface of the tests, as the IDL compiler would generate it.
//!
//! ```idl
//! #pragma prefix "zorb.test"
//! interface Mirror {
//!   sequence<octet> mirror(in sequence<octet> data);
//!   oneway void post(in sequence<octet> data);
//! };
//! ```
#![allow(dead_code, unreachable_pub, missing_debug_implementations, clippy::use_self)]

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use zorb::codegen::{self, Octets};
use zorb::{ObjectRef, Result};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mirror(ObjectRef);

codegen::interface!(Mirror(ObjectRef), "IDL:zorb.test/Mirror:1.0", "Mirror", []);

impl Mirror {
    pub fn mirror(&self, data: &[u8]) -> Result<Vec<u8>> {
        codegen::invoke!(self, mirror, [Octets => data], [Octets])
    }

    pub fn post(&self, data: &[u8]) -> Result<()> {
        codegen::oneway!(self, post, [Octets => data])
    }
}

pub trait MirrorServant: Send + Sync + 'static {
    fn mirror(&self, data: &[u8]) -> Result<Vec<u8>>;
    fn post(&self, data: &[u8]);
}

codegen::skeleton!(Mirror, MirrorServant, {
    0 "mirror" mirror(data: Octets => data) [result: Octets],
    1 "post" post(data: Octets => data) oneway,
});

/// Reports how many octets are posted.
pub struct Board(Mutex<Sender<usize>>);

/// The reports.
pub struct Posted(Receiver<usize>);

impl Board {
    pub fn new() -> (Self, Posted) {
        let (sender, receiver) = channel();
        (Self(Mutex::new(sender)), Posted(receiver))
    }
}

impl MirrorServant for Board {
    fn mirror(&self, data: &[u8]) -> Result<Vec<u8>> {
        Ok(data.to_vec())
    }

    fn post(&self, data: &[u8]) {
        // The test may have ended.
        let _ = self.0.lock().unwrap().send(data.len());
    }
}

impl Posted {
    /// Calls with this many octets, one-way if the protocol has no two-way calls.
    pub fn call(&self, mirror: &Mirror, url: &str, octets: usize) {
        let data = vec![7; octets];
        if !url.starts_with("diop") {
            assert_eq!(mirror.mirror(&data).unwrap(), data, "{url}");
            return;
        }
        // Datagrams may be lost.
        for _ in 0..100 {
            mirror.post(&data).unwrap();
            if self.0.recv_timeout(Duration::from_millis(500)) == Ok(octets) {
                return;
            }
        }
        panic!("none of 100 datagrams arrived");
    }

    /// The first call.
    pub fn first_call(&self, mirror: &Mirror, url: &str) {
        self.call(mirror, url, 3);
    }
}
