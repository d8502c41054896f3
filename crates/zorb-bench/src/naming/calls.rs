//! Clients of a naming service.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use zorb::giop::Ior;
use zorb::{Interface as _, ObjectRef, Orb};
use zorb_naming::cos_naming::{NameComponent, NamingContext};

use crate::{Error, Result};

/// The bindings of the context that is listed, and in which names are resolved.
const BINDINGS: usize = 100;

/// What clients do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// Resolve a name of one component.
    Resolve,
    /// List a context of 100 bindings.
    List,
    /// Bind a new name.
    Bind,
}

impl Operation {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Resolve => "resolve",
            Self::List => "list",
            Self::Bind => "bind",
        }
    }
}

/// Clients, each a thread with a connection of its own, and the contexts that they use.
pub(super) struct Clients {
    orb: Orb,
    count: usize,
    few: NamingContext,
    many: NamingContext,
    object: ObjectRef,
    next: AtomicU64,
}

pub(super) fn component(id: String) -> NameComponent {
    NameComponent { id, kind: "object".to_owned() }
}

/// The kind of reference that servers bind: a type id, an address, a key, code sets.
pub(super) fn reference(of: &NamingContext) -> Ior {
    let mut ior = of.as_object().ior().clone();
    "IDL:acme.example/Plant/Pump:1.0".clone_into(&mut ior.type_id);
    ior
}

impl Clients {
    /// Clients of the service at this URL. They create contexts of their own, and bind `reference`.
    pub(super) fn new(url: &str, count: usize, reference: &Ior) -> Result<Self> {
        let orb = Orb::builder().without_environment().build()?;
        let root: NamingContext = orb.resolve(url)?;
        let new = || -> Result<NamingContext> {
            root.new_context()?.ok_or_else(|| Error::new("the new context is nil"))
        };
        let (few, many) = (new()?, new()?);
        let object = orb.object(reference.clone());
        for number in 0..BINDINGS {
            few.bind(&[component(number.to_string())], Some(&object)).map_err(failed)?;
        }
        Ok(Self { orb, count, few, many, object, next: AtomicU64::new(0) })
    }

    /// The calls per second of all clients.
    pub(super) fn calls_per_second(&self, operation: Operation, time: Duration) -> Result<f64> {
        let begun = Instant::now();
        let count = std::thread::scope(|scope| -> Result<u64> {
            let call = || self.call_until(operation, begun + time);
            let threads: Vec<_> = (0..self.count).map(|_| scope.spawn(call)).collect();
            let mut all = 0;
            for thread in threads {
                all += thread.join().map_err(|_| Error::new("a client panicked"))??;
            }
            Ok(all)
        })?;
        Ok(count as f64 / begun.elapsed().as_secs_f64())
    }

    /// How many calls one client makes until then.
    fn call_until(&self, operation: Operation, end: Instant) -> Result<u64> {
        let middle = [component((BINDINGS / 2).to_string())];
        let mut count = 0;
        while Instant::now() < end {
            match operation {
                Operation::Resolve => {
                    self.few.resolve(&middle).map_err(failed)?.ok_or_else(wrong)?;
                }
                Operation::List => {
                    let (listed, rest) = self.few.list(2 * BINDINGS as u32)?;
                    if listed.len() != BINDINGS || rest.is_some() {
                        return Err(wrong());
                    }
                }
                Operation::Bind => {
                    let id = self.next.fetch_add(1, Ordering::Relaxed).to_string();
                    self.many.bind(&[component(id)], Some(&self.object)).map_err(failed)?;
                }
            }
            count += 1;
        }
        Ok(count)
    }
}

impl Drop for Clients {
    fn drop(&mut self) {
        // The measurement is over.
        let _ = self.orb.shutdown(true);
    }
}

pub(super) fn failed(error: impl Into<zorb::Error>) -> Error {
    error.into().into()
}

pub(super) fn wrong() -> Error {
    Error::new("the naming service has given a wrong answer")
}
