//! What a store keeps.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use zorb::{Interface as _, Orb, SystemException, SystemExceptionKind};
use zorb_naming::cos_naming::NamingContext;
use zorb_naming::name;
use zorb_naming::server::{NamingOptions, NamingService};
use zorb_store::{Batch, Entry, MemoryStore, Statistics, Store, StoreError, StoreErrorKind, Visit};

use crate::support::{World, shown};

#[test]
fn names_and_contexts_survive() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let world = World::stored(&store);
    let object = world.object("x");
    world.root.bind_new_context(&name("ctx").unwrap()).unwrap();
    world.root.bind(&name("ctx/x.kind").unwrap(), Some(&object)).unwrap();
    world.root.bind(&name("ctx/gone").unwrap(), Some(&object)).unwrap();
    world.root.unbind(&name("ctx/gone").unwrap()).unwrap();
    world.root.bind(&name("nil").unwrap(), None).unwrap();
    let free = world.root.new_context().unwrap().unwrap();
    free.bind(&name("inside").unwrap(), Some(&object)).unwrap();
    world.root.new_context().unwrap().unwrap().destroy().unwrap();
    let before = world.service.statistics();
    assert_eq!((before.contexts, before.bindings), (3, 4));
    let key = free.as_object().ior().clone();
    world.end();
    zorb_testkit::until(|| Arc::strong_count(&store) == 1);

    let world = World::stored(&store);
    let mut after = world.service.statistics();
    // Counted since the service has started.
    assert_eq!(std::mem::replace(&mut after.changes, before.changes), 0);
    assert_eq!(after, before);
    assert_eq!(world.root.resolve(&name("ctx/x.kind").unwrap()).unwrap(), Some(object));
    assert_eq!(world.root.resolve(&name("nil").unwrap()).unwrap(), None);
    assert_eq!(shown(&world.root.list(10).unwrap().0).len(), 2);
    // A context that is bound nowhere keeps its key; only the port has changed.
    let url = zorb::giop::Escaped(zorb::giop::iiop_object_key(&key.profiles[0].data).unwrap())
        .to_string();
    let free: NamingContext =
        world.client.resolve(&format!("corbaloc::1.2@{}/{url}", world.address())).unwrap();
    assert!(free.resolve(&name("inside").unwrap()).is_ok());
    world.end();
}

/// A store whose commits fail when told so.
#[derive(Debug, Default)]
struct Failing {
    inner: MemoryStore,
    fails: AtomicBool,
}

impl Store for Failing {
    fn get(&self, table: &str, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.get(table, key)
    }

    fn scan(&self, table: &str, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        self.inner.scan(table, visit)
    }

    fn scan_all(
        &self,
        visit: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.inner.scan_all(visit)
    }

    fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        if self.fails.load(Ordering::Relaxed) {
            return Err(StoreError::new(StoreErrorKind::Full, "no space is left"));
        }
        self.inner.commit(batch)
    }

    fn statistics(&self) -> Statistics {
        self.inner.statistics()
    }
}

#[test]
fn what_cannot_be_stored_has_never_been_there() {
    let failing = Arc::new(Failing::default());
    let store: Arc<dyn Store> = Arc::clone(&failing) as _;
    let world = World::stored(&store);
    world.root.bind(&name("x").unwrap(), None).unwrap();
    failing.fails.store(true, Ordering::Relaxed);
    let errors: [SystemException; 4] = [
        world.root.bind(&name("y").unwrap(), None).unwrap_err().into(),
        world.root.unbind(&name("x").unwrap()).unwrap_err().into(),
        world.root.bind_new_context(&name("z").unwrap()).unwrap_err().into(),
        world.root.new_context().unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.kind, SystemExceptionKind::PersistStore);
    }
    assert_eq!(shown(&world.root.list(10).unwrap().0).len(), 1);
    failing.fails.store(false, Ordering::Relaxed);
    world.root.bind(&name("y").unwrap(), None).unwrap();
    assert_eq!(world.service.statistics().bindings, 2);
    world.end();
}

#[test]
fn damaged_names_are_refused() {
    let rows: [(&'static str, &[u8], &[u8]); 6] = [
        ("naming.contexts", b"short", b""),
        ("naming.bindings", b"\0\0\0\0\0\0\0\0x\0", b""),
        ("naming.bindings", b"\0\0\0\0\0\0\0\0x\0", b"\x09"),
        ("naming.bindings", b"\0\0\0\0\0\0\0\0x\0", b"\0\xff\xff"),
        ("naming.bindings", b"\0\0\0\0\0\0\0\0x", b"\0"),
        ("naming.bindings", b"\0\0\0\0\0\0\0\x05x\0", b"\0"),
    ];
    for (table, key, value) in rows {
        let store = MemoryStore::new();
        store.commit(Batch::new().put(table, key, value)).unwrap();
        let orb = Orb::builder().without_environment().build().unwrap();
        let served = NamingService::serve_stored(&orb, &NamingOptions::default(), Arc::new(store));
        let error = served.unwrap_err();
        assert!(zorb::Report(&error).to_string().contains("the names contain"), "{error:?}");
        assert!(error.hint().is_some());
        orb.shutdown(true).unwrap();
    }
}
