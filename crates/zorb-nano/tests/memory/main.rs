//! A server and a client that get no memory for one of the blocks that they ask for, or for none from one on: each block in
//! turn. A block that the ORB asks for without a check ends the process, and the test with it.
//!
//! It is a program of its own, without the harness of tests, because no thread of the process gets memory meanwhile.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may")]

mod wire;

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use zorb_nano::{Answer, Client, Interface, Limits, Linear, Reader, Reference, Result, Servant};
use zorb_nano::{Server, SystemException, SystemExceptionKind, Writer, minor};
use zorb_os::alloc::{CountingAllocator, Refusal};

use crate::wire::{Side, Wire};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const ID: &str = "IDL:Adder:1.0";
const KEY: &[u8] = b"adder";
const LIMITS: Limits = Limits::DEFAULT.max_message_size(512).max_connections(2);

static ADDER: Interface = Interface { ids: &[ID], operations: &Linear(&["add", "store"]) };

/// Stores what it has added, or is told.
#[derive(Default)]
struct Adder {
    sum: i32,
}

impl Servant for Adder {
    fn interface(&self) -> &'static Interface {
        &ADDER
    }

    fn invoke(
        &mut self,
        operation: usize,
        arguments: &mut Reader<'_>,
        results: &mut Writer<'_>,
    ) -> Result<Answer> {
        let value = arguments.read::<i32>()?;
        arguments.end()?;
        self.sum = if operation == 0 { self.sum.wrapping_add(value) } else { value };
        if operation == 0 {
            results.write::<i32>(&self.sum)?;
        }
        Ok(Answer::Results)
    }
}

/// Starts a server and a client, and makes calls of each kind. Returns their results, and what there is in the end.
fn exchange(wire: &Wire, ior: &str) -> Result<(i32, i32, bool)> {
    wire.reset();
    let mut adder = Adder::default();
    let endpoint = wire::address().into();
    let mut server = Server::new(Side::of_server(wire), endpoint, LIMITS)?;
    server.register_borrowed(KEY, &mut adder)?;
    let target = Reference::parse(ior)?;
    let server = RefCell::new(server);
    let serve = || {
        // A server that cannot go on does not answer.
        let _ = server.borrow_mut().perform_work(Some(Duration::ZERO));
    };
    let mut client = Client::new(Side::of_client(wire, &serve), LIMITS);
    client.send(&target, "store", &mut |arguments| arguments.write::<i32>(&40))?;
    let mut reply = client.call(&target, "add", &mut |arguments| arguments.write::<i32>(&2))?;
    let sum = reply.results()?.read::<i32>()?;
    let unknown = client.call(&target, "multiply", &mut |_| Ok(())).is_err();
    let is_here = client.locate(&target)?.is_some();
    drop(client);
    drop(server);
    Ok((sum, adder.sum, is_here && unknown))
}

/// Runs `exchange` without the blocks that are refused. Returns what it returns, and the number of blocks that it asked for.
///
/// The thread that begins a refusal is spared. So another one does, while this one, which knows from flags when that
/// is, does nothing that needs memory.
fn without<T>(refusal: Refusal, exchange: impl FnOnce() -> T) -> (T, u64) {
    let (may_begin, has_begun) = (AtomicBool::new(false), AtomicBool::new(false));
    let wait_for = |flag: &AtomicBool| {
        while !flag.load(Ordering::Acquire) {
            thread::yield_now();
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            wait_for(&may_begin);
            refusal.begin();
            has_begun.store(true, Ordering::Release);
        });
        may_begin.store(true, Ordering::Release);
        wait_for(&has_begun);
        let outcome = exchange();
        (outcome, Refusal::end())
    })
}

fn main() {
    let wire = Wire::new();
    let target = Reference::new(wire::address(), KEY).unwrap();
    let ior = target.to_ior(ID).unwrap().to_stringified().unwrap();
    let done = Ok((42, 42, true));
    for count in [1, u64::MAX] {
        let (mut refused, mut after) = (0, 0);
        loop {
            let refusal = Refusal { above: 0, after, count };
            let (outcome, asked) = without(refusal, || exchange(&wire, &ior));
            if asked <= after {
                assert_eq!(outcome, done, "{after} blocks are all");
                break;
            }
            let no_memory = SystemException::new(
                SystemExceptionKind::NoMemory,
                minor::no_memory::OUT_OF_MEMORY,
                zorb_nano::CompletionStatus::No,
            );
            // A client with fewer buffers than it may have makes its calls over these.
            assert!(
                outcome == done || outcome == Err(no_memory),
                "{count} of {after}: {outcome:?}"
            );
            refused += u64::from(outcome.is_err());
            after += 1;
        }
        // Lists of lanes, of what to wait for and of connections, two buffers of each, an object and its key, an IOR, and
        // the client's list and the two buffers of a connection.
        assert!(refused >= 13 && after >= refused + 2, "{refused} of {after} blocks are needed");
    }
}
