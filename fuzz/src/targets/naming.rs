//! A naming service that receives arbitrary octets from a client, and reads arbitrary rows of its store.

use std::sync::{Mutex, PoisonError};

use zorb::Orb;
use zorb_naming::server::{NamingOptions, NamingService};
use zorb_store::{Batch, MemoryStore, Store};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::{Endpoint, Transport};

use super::server::{check_messages, connect_to, exchange_on};
use super::{AllocationBound, Target};

/// An octet that chooses. 0: the octets that a client sends on a new connection before it stops sending; the service's
/// output consists of whole messages, and its names take no more than their limit. 1 to 3: a row of a table, an octet for
/// the length of its key, the key and the value.
pub const TARGET: Target = Target {
    name: "naming",
    run,
    // As for `imr`, and now and then a new service.
    allocation: AllocationBound { per_octet: 4096, constant: 1 << 20 },
    words: &[
        KEY,
        b"NameService",
        b"GIOP\x01\x02\x01\x00",
        b"GIOP\x01\x02\x01\x03",
        b"bind\0",
        b"rebind\0",
        b"bind_context\0",
        b"bind_new_context\0",
        b"new_context\0",
        b"resolve\0",
        b"unbind\0",
        b"destroy\0",
        b"list\0",
        b"next_n\0",
        b"to_url\0",
        b"resolve_str\0",
        b"orphans\0",
        b"bind_for\0",
        b"\0\0\0\x01\0\0\0\x02a\0",
        b"a/b.c\\.",
        b"corbaloc::127.0.0.1:1/",
        b"\xff\xff\xff\xff",
    ],
};

/// The key of the root context, the same in every run. The key `NameService` leads to it too.
pub const KEY: &[u8] = b"Z\x02\0\x0fNamingContexts\0\0\0\0\0\0\0\0\0";

/// The tables, by the first octet.
pub const TABLES: [&str; 3] = ["naming.contexts", "naming.bindings", "naming.leases"];

/// Longer inputs are skipped; they would only be slow.
const MAX_INPUT: usize = 1 << 16;

/// The memory for names, and how much of it may be used before a new service replaces the old one.
const MEMORY: usize = 32 << 10;
const USED: usize = 16 << 10;

struct World {
    transport: InprocTransport,
    endpoint: Endpoint,
    names: NamingService,
    orb: Orb,
}

impl World {
    fn new() -> Self {
        let transport = InprocTransport::new();
        let orb = Orb::builder()
            .without_environment()
            .protocol(std::sync::Arc::new(InprocProtocol::new(transport.clone())))
            .option("MaxThreadsPerConnection", "1")
            .listen("inproc://naming")
            .build()
            .expect("a server");
        let options = NamingOptions {
            naming_memory: MEMORY,
            naming_listed_octets: 4 << 10,
            naming_iterators: 8,
            naming_leases: 8,
            // What octets of a fuzzer must never do is to call others.
            naming_foreign_calls: 0,
            ..NamingOptions::default()
        };
        let names = NamingService::serve(&orb, &options).expect("a naming service");
        names.publish(&orb).expect("a free key");
        orb.serve().expect("a server");
        let endpoint = transport.parse_endpoint("inproc://naming").expect("an endpoint");
        Self { transport, endpoint, names, orb }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.orb.shutdown(true).expect("an end");
    }
}

static WORLD: Mutex<Option<World>> = Mutex::new(None);

fn run(octets: &[u8]) {
    match octets.split_first() {
        Some((0, octets)) if octets.len() <= MAX_INPUT => check_messages(&exchange(octets)),
        _ => {
            read_row(octets);
        }
    }
}

/// Sends `octets` on a connection of their own and returns all that comes back.
pub fn exchange(octets: &[u8]) -> Vec<u8> {
    let mut world = WORLD.lock().unwrap_or_else(PoisonError::into_inner);
    let World { transport, endpoint, names, .. } = world.get_or_insert_with(World::new);
    let answer = exchange_on(&*connect_to(transport, endpoint, octets.len()), octets);
    let numbers = names.statistics();
    assert!(numbers.octets <= MEMORY && numbers.iterators <= 8 && numbers.leases <= 8);
    if numbers.octets > USED {
        *world = None;
    }
    answer
}

/// Reads a store that has only this row. Returns whether the row is good.
pub fn read_row(octets: &[u8]) -> bool {
    let Some((table @ 1..=3, rest)) = octets.split_first() else { return false };
    let Some((length, rest)) = rest.split_first() else { return false };
    let Some((key, value)) = rest.split_at_checked((*length).into()) else { return false };
    let table = TABLES[usize::from(table - 1)];
    let store = MemoryStore::new();
    store.commit(Batch::new().put(table, key, value)).expect("a row");
    match NamingService::check_store(&store) {
        Ok(count) => {
            assert_eq!(count, usize::from(table == "naming.bindings"));
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}
