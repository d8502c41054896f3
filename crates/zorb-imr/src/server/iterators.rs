//! Iterators over servers. Each is a copy of the rest of a list.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use zorb::poa::{ObjectId, PoaError, PoaPolicies};
use zorb::{Orb, SystemException, WeakOrb};

use crate::implementation_repository::{
    ServerInformation, ServerInformationIterator, ServerInformationIteratorServant,
    ServerInformationList,
};

/// The name of the adapter of iterators.
const ADAPTER: &str = "ServerInformationIterators";

/// The most servers in one reply.
pub(crate) const MOST_LISTED: usize = 1000;

/// The iterators of a repository.
#[derive(Debug)]
pub(crate) struct Iterators {
    // The ORB owns the adapter, and the adapter the servants: they must not own it.
    orb: WeakOrb,
    most: usize,
    ids: Mutex<Ids>,
}

#[derive(Debug, Default)]
struct Ids {
    /// Those that exist, the oldest first.
    known: VecDeque<u64>,
    /// The next one: a client's id never becomes that of another one's iterator.
    next: u64,
}

struct Rest {
    id: u64,
    left: Mutex<VecDeque<ServerInformation>>,
    all: Weak<Iterators>,
}

impl Iterators {
    pub(crate) fn new(orb: &Orb, most: usize) -> Result<Arc<Self>, PoaError> {
        orb.root_poa().create(ADAPTER, PoaPolicies::new().user_ids())?;
        Ok(Arc::new(Self { orb: orb.downgrade(), most, ids: Mutex::default() }))
    }

    fn ids(&self) -> MutexGuard<'_, Ids> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An iterator over `left`; `None` if there may be none.
    pub(crate) fn create(
        self: &Arc<Self>,
        left: VecDeque<ServerInformation>,
    ) -> Result<Option<ServerInformationIterator>, SystemException> {
        let Some(orb) = self.orb.upgrade().filter(|_| self.most > 0) else { return Ok(None) };
        let (id, oldest) = {
            let mut ids = self.ids();
            let id = ids.next;
            ids.next += 1;
            let oldest = if ids.known.len() >= self.most { ids.known.pop_front() } else { None };
            ids.known.push_back(id);
            (id, oldest)
        };
        if let Some(oldest) = oldest {
            self.deactivate(oldest);
        }
        let servant = Rest { id, left: Mutex::new(left), all: Arc::downgrade(self) };
        let poa = orb.root_poa().find(ADAPTER)?;
        Ok(Some(poa.activate_with_id(ObjectId::new(id.to_be_bytes()), servant)?))
    }

    fn destroy(&self, id: u64) {
        self.ids().known.retain(|known| *known != id);
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
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let servers = first(&mut left, how_many);
        Ok((!servers.is_empty(), servers))
    }

    fn destroy(&self) -> zorb::Result<()> {
        if let Some(all) = self.all.upgrade() {
            all.destroy(self.id);
        }
        Ok(())
    }
}

/// Takes the first servers of a list for a reply: `how_many` of them, or for 0, as many as a reply may have.
pub(crate) fn first(
    left: &mut VecDeque<ServerInformation>,
    how_many: u32,
) -> ServerInformationList {
    let wanted = if how_many == 0 { MOST_LISTED } else { how_many as usize };
    left.drain(..left.len().min(wanted).min(MOST_LISTED)).collect()
}
