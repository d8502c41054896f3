//! Iterators over servers. Each is a position among their names.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use zorb::poa::{ObjectId, PoaError, PoaPolicies};
use zorb::{Orb, SystemException, WeakOrb};
use zorb_os::random;

use super::listing::Listing;
use crate::implementation_repository::{
    ServerInformationIterator, ServerInformationIteratorServant, ServerInformationList,
};

/// The name of the adapter of iterators.
const ADAPTER: &str = "ServerInformationIterators";

/// The iterators of a repository.
pub(crate) struct Iterators {
    // The ORB owns the adapter, and the adapter the servants: they must not own it.
    orb: WeakOrb,
    listing: Listing,
    most: usize,
    /// The ids of those that exist, the oldest first.
    ids: Mutex<VecDeque<u64>>,
}

struct Rest {
    id: u64,
    /// The last server that it has listed.
    last: Mutex<String>,
    all: Weak<Iterators>,
}

impl Iterators {
    pub(crate) fn new(orb: &Orb, listing: Listing, most: usize) -> Result<Arc<Self>, PoaError> {
        orb.root_poa().create(ADAPTER, PoaPolicies::new().user_ids())?;
        Ok(Arc::new(Self { orb: orb.downgrade(), listing, most, ids: Mutex::default() }))
    }

    fn ids(&self) -> MutexGuard<'_, VecDeque<u64>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An iterator over the servers behind this one; `None` if there may be none.
    pub(crate) fn create(
        self: &Arc<Self>,
        last: &str,
    ) -> Result<Option<ServerInformationIterator>, SystemException> {
        let Some(orb) = self.orb.upgrade().filter(|_| self.most > 0) else { return Ok(None) };
        // Random, so that other clients cannot guess it.
        let id = random::number();
        let oldest = {
            let mut ids = self.ids();
            let oldest = if ids.len() >= self.most { ids.pop_front() } else { None };
            ids.push_back(id);
            oldest
        };
        if let Some(oldest) = oldest {
            self.deactivate(oldest);
        }
        let servant = Rest { id, last: Mutex::new(last.to_owned()), all: Arc::downgrade(self) };
        let poa = orb.root_poa().find(ADAPTER)?;
        Ok(Some(poa.activate_with_id(ObjectId::new(id.to_be_bytes()), servant)?))
    }

    fn destroy(&self, id: u64) {
        self.ids().retain(|known| *known != id);
        self.deactivate(id);
    }

    fn deactivate(&self, id: u64) {
        let poa = self.orb.upgrade().and_then(|orb| orb.root_poa().find(ADAPTER).ok());
        if let Some(poa) = poa {
            // Somebody else may have done so.
            let _ = poa.deactivate(&ObjectId::new(id.to_be_bytes()));
        }
    }
}

impl ServerInformationIteratorServant for Rest {
    fn next_n(&self, how_many: u32) -> zorb::Result<(bool, ServerInformationList)> {
        let Some(all) = self.all.upgrade() else { return Ok((false, Vec::new())) };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (servers, _) = all.listing.list(&last, how_many);
        if let Some(server) = servers.last() {
            last.clone_from(&server.server);
        }
        Ok((!servers.is_empty(), servers))
    }

    fn destroy(&self) -> zorb::Result<()> {
        if let Some(all) = self.all.upgrade() {
            all.destroy(self.id);
        }
        Ok(())
    }
}
