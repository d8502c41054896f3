//! A small interface for the tests of the core, written the way the IDL compiler writes it.
//!
//! ```idl
//! #pragma prefix "zorb.test"
//! exception Refused { string why; };
//! interface Echo {
//!   long twice(in long value);
//!   string repeat(in string text, in long times) raises (Refused);
//!   sequence<octet> mirror(in sequence<octet> data);
//!   oneway void note(in long value);
//!   readonly attribute long noted;
//!   long call_back(in Echo other, in long value);
//!   void panic_now();
//!   void wait_for(in long noted);
//! };
//! ```
#![allow(dead_code, unreachable_pub, missing_debug_implementations)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::use_self)]

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use zorb_core::codegen::{Octets, Ref};
use zorb_core::lanes::{LaneSettings, Pool, PoolSettings, Strategy};
use zorb_core::poa::PoaPolicies;
use zorb_core::{ObjectRef, Orb, Result, codegen};
use zorb_tcp::IiopProtocol;
use zorb_testkit::require_loopback;
pub use zorb_testkit::until;

#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    pub why: String,
}

codegen::exception!(Refused, "IDL:zorb.test/Refused:1.0", "Refused", { why: String = "why" });

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Echo(ObjectRef);

codegen::interface!(Echo(ObjectRef), "IDL:zorb.test/Echo:1.0", "Echo", []);

codegen::raises!(RepeatError, "Echo::repeat", { Refused(Refused) });

impl Echo {
    pub fn twice(&self, value: i32) -> Result<i32> {
        codegen::invoke!(self, twice, [i32 => &value], [i32])
    }

    pub fn repeat(&self, text: &str, times: i32) -> Result<String, RepeatError> {
        codegen::invoke!(self, repeat, [String => text, i32 => &times], [String])
    }

    pub fn mirror(&self, data: &[u8]) -> Result<Vec<u8>> {
        codegen::invoke!(self, mirror, [Octets => data], [Octets])
    }

    pub fn note(&self, value: i32) -> Result<()> {
        codegen::oneway!(self, note, [i32 => &value])
    }

    pub fn noted(&self) -> Result<i32> {
        codegen::invoke!(self, noted "_get_noted", [], [i32])
    }

    pub fn call_back(&self, other: Option<&Echo>, value: i32) -> Result<i32> {
        codegen::invoke!(
            self,
            call_back,
            [codegen::RefArgument::<Echo> => other, i32 => &value],
            [i32]
        )
    }

    pub fn panic_now(&self) -> Result<()> {
        codegen::invoke!(self, panic_now, [], [])
    }

    pub fn wait_for(&self, noted: i32) -> Result<()> {
        codegen::invoke!(self, wait_for, [i32 => &noted], [])
    }

    pub fn unknown(&self) -> Result<()> {
        codegen::invoke!(self, "no_such_operation", [], [])
    }

    pub fn object(&self) -> &ObjectRef {
        &self.0
    }
}

pub trait EchoServant: Send + Sync + 'static {
    fn twice(&self, value: i32) -> Result<i32>;
    fn repeat(&self, text: &str, times: i32) -> Result<String, RepeatError>;
    fn mirror(&self, data: &[u8]) -> Result<Vec<u8>>;
    fn note(&self, value: i32);
    fn noted(&self) -> Result<i32>;
    fn call_back(&self, other: Option<&Echo>, value: i32) -> Result<i32>;
    fn panic_now(&self) -> Result<()>;
    fn wait_for(&self, noted: i32) -> Result<()>;
}

codegen::skeleton!(Echo, EchoServant, {
    0 "twice" twice(value: i32 => value) [result: i32],
    1 "repeat" repeat(text: String => &text, times: i32 => times) [result: String],
    2 "mirror" mirror(data: Octets => data) [result: Octets],
    3 "note" note(value: i32 => value) oneway,
    4 "_get_noted" noted() [result: i32],
    5 "call_back" call_back(other: Ref<Echo> => other.as_ref(), value: i32 => value) [result: i32],
    6 "panic_now" panic_now() [],
    7 "wait_for" wait_for(noted: i32 => noted) [],
});

#[derive(Default)]
pub struct Servant {
    pub noted: AtomicI32,
    pub waiting: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl EchoServant for Servant {
    fn twice(&self, value: i32) -> Result<i32> {
        Ok(value.wrapping_mul(2))
    }

    fn repeat(&self, text: &str, times: i32) -> Result<String, RepeatError> {
        match usize::try_from(times) {
            Ok(times) => Ok(text.repeat(times)),
            Err(_) => Err(Refused { why: format!("{times} is negative") }.into()),
        }
    }

    fn mirror(&self, data: &[u8]) -> Result<Vec<u8>> {
        Ok(data.to_vec())
    }

    fn note(&self, value: i32) {
        let _lock = self.lock.lock().unwrap();
        self.noted.store(value, Ordering::SeqCst);
        self.changed.notify_all();
    }

    fn noted(&self) -> Result<i32> {
        Ok(self.noted.load(Ordering::SeqCst))
    }

    fn call_back(&self, other: Option<&Echo>, value: i32) -> Result<i32> {
        match other {
            Some(other) if value > 0 => Ok(other.call_back(Some(other), value - 1)? + 1),
            _ => Ok(0),
        }
    }

    fn panic_now(&self) -> Result<()> {
        panic!("as asked")
    }

    fn wait_for(&self, noted: i32) -> Result<()> {
        self.waiting.store(true, Ordering::SeqCst);
        let lock = self.lock.lock().unwrap();
        let waited = self.changed.wait_while(lock, |()| self.noted.load(Ordering::SeqCst) != noted);
        drop(waited.unwrap());
        Ok(())
    }
}

/// A servant whose `twice` and `note` call a test's function.
pub struct Acting<F>(pub F);

impl<F: Fn(i32) -> Result<i32> + Send + Sync + 'static> EchoServant for Acting<F> {
    fn twice(&self, value: i32) -> Result<i32> {
        self.0(value)
    }

    fn repeat(&self, _: &str, _: i32) -> Result<String, RepeatError> {
        Ok(String::new())
    }

    fn mirror(&self, _: &[u8]) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn note(&self, value: i32) {
        let _ = (self.0)(value);
    }

    fn noted(&self) -> Result<i32> {
        Ok(0)
    }

    fn call_back(&self, _: Option<&Echo>, _: i32) -> Result<i32> {
        Ok(0)
    }

    fn panic_now(&self) -> Result<()> {
        Ok(())
    }

    fn wait_for(&self, _: i32) -> Result<()> {
        Ok(())
    }
}

/// What a panic is thrown with, and panics when it is dropped.
pub struct PanicsToo;

impl Drop for PanicsToo {
    fn drop(&mut self) {
        panic!("on purpose")
    }
}

/// An ORB with IIOP and nothing from the environment.
pub fn builder() -> zorb_core::OrbBuilder {
    require_loopback();
    Orb::builder().without_environment().protocol(Arc::new(IiopProtocol::new()))
}

/// A server on an ephemeral port, with one object.
pub fn server() -> (Orb, Echo) {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    orb.serve().unwrap();
    let echo = orb.root_poa().activate(Servant::default()).unwrap();
    (orb, echo)
}

/// A server at an address of its own, so that no other test takes its port when it has ended.
pub fn server_that_ends() -> (Orb, Echo) {
    let orb = builder().listen("iiop://127.0.0.3:0").build().unwrap();
    orb.serve().unwrap();
    let echo = orb.root_poa().activate(Servant::default()).unwrap();
    (orb, echo)
}

/// A server that runs the requests of a connection in order even on a slow machine: its watchdog does not
/// hand input over.
pub fn server_in_order() -> (Orb, Echo) {
    let orb = builder().listen("iiop://127.0.0.1:0").option("StallTakeover", "3600000");
    let orb = orb.build().unwrap();
    let echo = orb.root_poa().activate(Servant::default()).unwrap();
    (orb, echo)
}

/// Waits until the servant has this note: a later request runs concurrently with a slow upcall.
pub fn until_noted(echo: &Echo, value: i32) {
    until(|| echo.noted().unwrap() == value);
}

/// A client's view of `echo`, from its stringified reference.
pub fn client(echo: &Echo) -> (Orb, Echo) {
    let orb = builder().build().unwrap();
    let there = orb.resolve(&echo.object().to_ior_string()).unwrap();
    (orb, there)
}

/// A pool with one lane of this many threads, on a port of its own.
pub fn one_lane(orb: &Orb, name: &str, strategy: Option<Strategy>, threads: usize) -> Pool {
    let endpoints = vec!["iiop://127.0.0.1:0".to_owned()];
    let lanes = vec![LaneSettings { endpoints, ..LaneSettings::new(None, threads) }];
    orb.create_pool(PoolSettings { strategy, lanes, ..PoolSettings::new(name) }).unwrap()
}

/// Where a test's adapters are served.
pub struct Served {
    /// The policies of the adapters.
    pub policies: PoaPolicies,
    pub pool: Option<Pool>,
    /// The host and the port.
    pub address: String,
}

/// [One lane](one_lane) with this strategy, or for `None` the ORB's own.
pub fn served_by(orb: &Orb, strategy: Option<Strategy>, threads: usize) -> Served {
    let pool = strategy.map(|strategy| one_lane(orb, "one lane", Some(strategy), threads));
    let (policies, url) = match &pool {
        None => (PoaPolicies::new(), orb.endpoints()[0].clone()),
        Some(pool) => (PoaPolicies::new().with(pool.policy()), pool.endpoints()[0][0].clone()),
    };
    Served { policies, pool, address: url.trim_start_matches("iiop://").to_owned() }
}
