//! An adapter with an activator in a lane of one thread.

use std::net::TcpStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use zorb_core::Orb;
use zorb_core::lanes::Strategy;
use zorb_core::poa::{AnyServant, ObjectId, Poa, PoaPolicies};
use zorb_types::SystemException;

use super::{Log, Noting, reference};
use crate::held::Raw;
use crate::support::{Acting, Echo, Served, builder, served_by};

/// More than the limits of threads, connections or descriptors.
pub(super) const MANY: i32 = 1_000;

/// The argument with which a servant waits for a permission.
pub(super) const WAITS: i32 = 100_000;

/// An adapter with an activator in a lane of one thread, and an object of another adapter.
pub(super) struct Stage {
    pub(super) orb: Orb,
    pub(super) poa: Poa,
    pub(super) log: Log,
    pub(super) object: Echo,
    pub(super) free: Echo,
    pub(super) permits: Sender<()>,
    pub(super) address: String,
}

impl Stage {
    /// `incarnates` is called first by `incarnate`, with the receiver of permissions.
    pub(super) fn new(
        strategy: Option<Strategy>,
        own: impl Fn(PoaPolicies) -> PoaPolicies,
        incarnates: impl Fn(&Receiver<()>) -> Result<(), SystemException> + Send + Sync + 'static,
    ) -> Self {
        let limit = (3 * MANY).to_string();
        let builder = builder().option("MaxHeldRequests", limit).listen("iiop://127.0.0.1:0");
        // Longer than a test waits for anything.
        let builder = builder.shutdown_grace(Duration::from_secs(120));
        let orb = builder.build().unwrap();
        let Served { policies: pool, address, .. } = served_by(&orb, strategy, 1);
        let (permits, permitted) = channel();
        let permitted = Arc::new(Mutex::new(permitted));
        let log = Log::default();
        let make = {
            let log = log.clone();
            move |_: &Poa, _: &ObjectId| {
                incarnates(&permitted.lock().unwrap())?;
                let (log, permitted) = (log.clone(), Arc::clone(&permitted));
                Ok(AnyServant::of::<Echo, _>(Arc::new(Acting(move |value: i32| {
                    log.note(format!("begin {value}"));
                    if value == WAITS {
                        permitted.lock().unwrap().recv().unwrap();
                    }
                    log.note(format!("end {value}"));
                    Ok(value)
                }))))
            }
        };
        let policies = own(pool.clone().user_ids().servant_manager());
        let poa = orb.root_poa().create("activated", policies).unwrap();
        poa.set_servant_activator(Noting { log: log.clone(), make }).unwrap();
        let free = orb.root_poa().create("free", pool).unwrap().activate(Acting(Ok)).unwrap();
        let object = reference(&poa, "one");
        Self { orb, poa, log, object, free, permits, address }
    }

    pub(super) fn connect(&self) -> Raw {
        Raw(TcpStream::connect(&self.address).unwrap())
    }
}

pub(super) fn recv(permitted: &Receiver<()>) -> Result<(), SystemException> {
    permitted.recv().unwrap();
    Ok(())
}

pub(super) fn one_by_one(values: impl IntoIterator<Item = i32>) -> Vec<String> {
    values.into_iter().flat_map(|it| [format!("begin {it}"), format!("end {it}")]).collect()
}
