//! The adapters of an ORB: finds the object for an object key.

mod admission;
mod cache;
mod hash_trie;
mod missing;
mod published;
mod tables;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use zorb_base::orb_core::OrbCore;
use zorb_base::steady_events::{Event, record};
use zorb_giop::{Destination, Ior, ObjectIndex, RequestHeader};
use zorb_os::lock::Lock;
use zorb_os::random;
use zorb_types::{CompletionStatus, SystemException, minor};

use self::admission::elsewhere;
pub use self::admission::{Access, NotAdmitted};
pub use self::cache::AdapterCache;
use self::tables::{Changing, Tables};
use crate::active_object::ActiveObject;
use crate::adapter::{NewAdapter, ObjectAdapter};
use crate::adapter_activation::AdapterActivations;
use crate::call::Interfaces;
use crate::error::{PoaError, no_memory, not_there};
use crate::forwarder::Forwarder;
use crate::hold_queue::{Arrival, Gate, HoldLimits, HoldQueue, Stopped};
use crate::key::KeyParts;
use crate::manager::{ManagerState, PoaManager};
use crate::manager_factory::PoaManagerFactory;
use crate::policies::{Lifespan, ThreadModel};
use crate::provider::Provider;

/// Finds the definition of an interface in the interface repository by its repository id.
pub(crate) type InterfaceLookup = dyn Fn(&str) -> Result<Ior, SystemException> + Send + Sync;

/// The adapters of an ORB, and its published references. Readers of adapters take no lock; changes replace the tables,
/// which share most of their memory with those before.
pub struct Adapters {
    orb: Arc<OrbCore>,
    published: Lock<HashMap<Vec<u8>, Ior>>,
    interfaces: OnceLock<Box<InterfaceLookup>>,
    forwarder: OnceLock<Arc<dyn Forwarder>>,
    tables: ArcSwap<Tables>,
    /// The number of changes of the tables.
    changes: AtomicU64,
    changing: Lock<Changing>,
    next_stamp: AtomicU32,
    main_thread: HoldQueue,
    activations: AdapterActivations,
    managers: PoaManagerFactory,
    /// Whether there has been an adapter that serves one request at a time.
    have_serializers: AtomicBool,
}

impl std::fmt::Debug for Adapters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Adapters").finish_non_exhaustive()
    }
}

impl Adapters {
    /// Creates empty tables for an ORB.
    pub fn new(orb: &Arc<OrbCore>) -> Self {
        // Stamps start at a random number, so that another process on the same port does not accept transient
        // references of this one.
        Self {
            orb: Arc::clone(orb),
            published: Lock::default(),
            interfaces: OnceLock::new(),
            forwarder: OnceLock::new(),
            tables: ArcSwap::default(),
            changes: AtomicU64::new(0),
            changing: Lock::default(),
            next_stamp: AtomicU32::new(random::number() as u32),
            have_serializers: AtomicBool::new(false),
            main_thread: HoldQueue::for_main_thread(HoldLimits::of(orb)),
            activations: AdapterActivations::new(HoldLimits::of(orb)),
            managers: PoaManagerFactory::new(orb),
        }
    }

    /// Creates an adapter and adds it to the tables; requests find a persistent one by its path when the adapter
    /// activator that creates it, if any, has returned.
    ///
    /// # Errors
    /// `ManagerAlreadyExists` if another manager has the id of the adapter's by now; `InvalidPolicy` if the adapter's is one
    /// of another ORB.
    pub fn register(&self, new: NewAdapter<'_>) -> Result<Arc<ObjectAdapter>, PoaError> {
        let mut changing = self.changing.lock();
        self.managers.know(&new.manager)?;
        Ok(self.add(&mut changing, new))
    }

    /// The same for the root adapter, whose manager is always known.
    pub fn register_root(&self, new: NewAdapter<'_>) -> Arc<ObjectAdapter> {
        self.add(&mut self.changing.lock(), new)
    }

    fn add(&self, changing: &mut Changing, new: NewAdapter<'_>) -> Arc<ObjectAdapter> {
        let mut tables = Tables::clone(&self.tables.load());
        let index = changing.take_index();
        let stamp = self.next_stamp.fetch_add(1, Ordering::Relaxed);
        let serializer = match new.policies.thread_model() {
            ThreadModel::OrbControlled => None,
            ThreadModel::SingleThread => {
                Some(HoldQueue::new(Gate::OneAtATime, HoldLimits::of(&self.orb)))
            }
            ThreadModel::MainThread => Some(self.main_thread.clone()),
        };
        self.have_serializers.fetch_or(serializer.is_some(), Ordering::Relaxed);
        let new_adapter =
            |this: &_| ObjectAdapter::new(&self.orb, new, serializer, index, stamp, this);
        let adapter = Arc::new_cyclic(new_adapter);
        tables.add(&adapter);
        if adapter.policies().lifespan == Lifespan::Persistent {
            match self.activations.hides(adapter.path(), None) {
                true => changing.hidden.push(Arc::clone(&adapter)),
                false => tables.make_visible(&adapter),
            }
        }
        adapter.manager().join(index, adapter.managed());
        self.replace(tables);
        adapter
    }

    /// Replaces the tables. Callers hold `changing`.
    fn replace(&self, tables: Tables) {
        record(Event::TableWritten);
        self.tables.store(Arc::new(tables));
        // After the tables: a reader that sees the new count sees the new tables.
        self.changes.fetch_add(1, Ordering::Release);
    }

    /// Removes an adapter that is being destroyed from the tables.
    pub fn unregister(&self, adapter: &Arc<ObjectAdapter>) {
        let mut changing = self.changing.lock();
        self.managers.leave(adapter.manager(), adapter.index());
        let mut tables = Tables::clone(&self.tables.load());
        tables.remove(adapter);
        changing.forget(adapter);
        self.replace(tables);
    }

    /// Whether requests of some adapters have to be [queued](Self::serializer_of) in the order in which they are received.
    #[inline]
    pub fn have_serializers(&self) -> bool {
        self.have_serializers.load(Ordering::Relaxed)
    }

    /// The queue in which a new request waits for its manager or for earlier requests, if its adapter serves one at a time.
    pub fn serializer_of(&self, header: &RequestHeader<'_>) -> Option<HoldQueue> {
        let destination = header.operation.destination();
        let key = match destination.map(Destination::key) {
            Some(key) => key,
            None => header.target.object_key().ok()?,
        };
        let published;
        let mut key = KeyParts::parse(key);
        if let KeyParts::Name(name) = key {
            published = self.key_of_published(name, header)?;
            key = KeyParts::parse(&published);
        }
        let tables = self.tables.load();
        let (adapter, _) = tables.adapter(key).ok()?;
        let serializer = adapter.serializer()?;
        match adapter.manager().admit(Arrival::New) {
            Ok(()) => Some(serializer.clone()),
            Err(Stopped::Held(queue)) => Some(queue),
            Err(Stopped::Refused(_)) => None,
        }
    }

    /// The managers of the adapters.
    pub fn managers(&self) -> &PoaManagerFactory {
        &self.managers
    }

    /// The requests that wait for the main thread.
    pub fn main_thread(&self) -> &HoldQueue {
        &self.main_thread
    }

    /// The ORB of these adapters.
    pub(super) fn orb(&self) -> &Arc<OrbCore> {
        &self.orb
    }

    /// Sets the function that finds the definition of an interface. Only the first call has an effect.
    pub fn set_interface_lookup(&self, lookup: Box<InterfaceLookup>) {
        let _ = self.interfaces.set(lookup);
    }

    /// Checks whether the object of a key is here: at an endpoint of the thread pool with the number `pool`, or at any
    /// for `None`. An object whose manager is holding counts as present.
    ///
    /// # Errors
    /// [`NotAdmitted::Forward`] or [`NotAdmitted::Refused`].
    pub fn locate_key(&self, key: &[u8], pool: Option<usize>) -> Result<(), NotAdmitted> {
        match KeyParts::parse(key) {
            KeyParts::Name(name) => match self.find_published(name, None) {
                NotAdmitted::Refused(_) if self.is_forwarded(key) => Ok(()),
                absent => Err(absent),
            },
            parts => self.locate(parts, pool).map_err(NotAdmitted::Refused),
        }
    }

    /// Caches the index of the object with a destination's key in the destination.
    #[cold]
    #[inline(never)]
    pub(super) fn cache_index(&self, destination: &Destination) {
        if let Some(index) = self.index_of(KeyParts::parse(destination.key())) {
            destination.set_object(index);
        }
    }

    /// The index of the object with this key.
    fn index_of(&self, key: KeyParts<'_>) -> Option<ObjectIndex> {
        let tables = self.tables.load();
        let (adapter, id) = tables.adapter(key).ok()?;
        let (slot, generation) = adapter.objects().slot_of(id)?;
        Some(ObjectIndex { adapter: adapter.index(), stamp: adapter.stamp(), slot, generation })
    }

    /// The priority by which a request is queued, if an interceptor knows it. Does not block.
    pub fn request_priority(&self, header: &RequestHeader<'_>) -> Option<i16> {
        let key = header.target.object_key().ok()?;
        let tables = self.tables.load();
        let (adapter, id) = tables.adapter(KeyParts::parse(key)).ok()?;
        let found = adapter.find_active(id)?;
        let object = found.object()?;
        object.skeleton.request_priority(&object.id, header)
    }

    /// The object of a key, and its adapter's manager, in any state.
    pub fn find(&self, key: &[u8]) -> Option<(PoaManager, Arc<ActiveObject>)> {
        let tables = self.tables.load();
        let (adapter, id) = tables.adapter(KeyParts::parse(key)).ok()?;
        Some((adapter.manager().clone(), adapter.find_object(id)?))
    }

    /// Checks that a key is that of an object.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST`; `TRANSIENT` if it is served at other endpoints than those of `pool`.
    fn locate(&self, key: KeyParts<'_>, pool: Option<usize>) -> Result<(), SystemException> {
        let absence = self.orb.absence();
        let tables = self.tables.load();
        let (adapter, id) = match tables.adapter(key) {
            Ok(found) => found,
            Err(_) if self.may_be_created(key) => return Ok(()),
            Err(_) if self.is_forwarded(&key.try_to_key().map_err(no_memory)?) => return Ok(()),
            Err(gone) if matches!(key, KeyParts::Transient { .. }) => return Err(gone),
            Err(gone) => return Err(absence.of_persistent(gone)),
        };
        if pool.is_some_and(|of_request| of_request != adapter.pool_number()) {
            return Err(elsewhere());
        }
        // While a manager is holding, the program may still activate the object.
        if adapter.manager().state() == ManagerState::Holding
            || adapter.find_active(id).is_some()
            || !matches!(adapter.provider(), Provider::Nothing)
        {
            return Ok(());
        }
        let gone = not_there(minor::object_not_exist::NO_MATCH);
        match adapter.policies().lifespan {
            Lifespan::Persistent => Err(absence.of_persistent(gone)),
            Lifespan::Transient => Err(gone),
        }
    }
}

impl Interfaces for Adapters {
    fn interface(&self, type_id: &str) -> Result<Ior, SystemException> {
        match self.interfaces.get() {
            Some(lookup) => lookup(type_id),
            None => Err(SystemException::intf_repos(
                minor::intf_repos::NOT_AVAILABLE,
                CompletionStatus::No,
            )),
        }
    }
}
