//! The Zorb server: every interface of `idl/interop.idl`.

mod data;
mod dynamic;
mod echo;
mod numbers;
mod refs;
mod state;
mod suite;
mod types;
mod values;

use std::sync::atomic::{AtomicU32, Ordering};

use zorb::poa::{ObjectId, Poa, PoaError, PoaPolicies};
use zorb::{CompletionStatus, Interface, MinorCode, Orb, ServedBy, SystemException};

use crate::interop::Suite;

/// Where objects live: one adapter with ids of the program's choice.
#[derive(Clone)]
struct World {
    orb: Orb,
    poa: Poa,
}

static LAST: AtomicU32 = AtomicU32::new(0);

impl World {
    /// Activates the servant under this id and returns its reference.
    fn add<S, R>(&self, id: &str, servant: S) -> zorb::Result<R>
    where
        S: Send + Sync + 'static,
        R: ServedBy<S>,
    {
        self.poa.activate_with_id(id, servant).map_err(refused)
    }

    /// An id that no other object has: "prefix-N".
    fn fresh_id(prefix: &str) -> String {
        format!("{prefix}-{}", LAST.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn reference<R: Interface>(&self, id: &str) -> zorb::Result<R> {
        self.poa.reference(&ObjectId::from(id)).map_err(refused)
    }

    fn remove(&self, id: &str) -> zorb::Result<()> {
        self.poa.deactivate(&ObjectId::from(id)).map_err(refused)
    }
}

fn refused(error: PoaError) -> SystemException {
    match error {
        PoaError::System(exception) => exception,
        _ => SystemException::obj_adapter(MinorCode::NONE, CompletionStatus::No),
    }
}

/// Serves the test object in `orb` and returns its reference.
///
/// # Errors
/// What keeps the objects from being activated.
pub fn serve(orb: &Orb) -> Result<Suite, zorb::Error> {
    let poa = orb.root_poa().create("Interop", PoaPolicies::new().user_ids())?;
    crate::samples::things::register(orb);
    let world = World { orb: orb.clone(), poa };
    let suite = suite::new(&world)?;
    orb.serve()?;
    Ok(suite)
}
