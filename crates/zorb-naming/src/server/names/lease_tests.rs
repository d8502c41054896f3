//! Leases, by a simulated clock.

use zorb_store::MemoryStore;

use super::*;
use crate::server::path::Path;
use crate::server::tree::{Bound, Operation};

/// An object reference without profiles.
const OBJECT: Bound<'_> = Bound::Object(&[1, b'x', 0]);

fn load(store: &Arc<dyn Store>, now: u64) -> Names {
    let options = NamingOptions { naming_leases: 2, ..NamingOptions::default() };
    Names::load(options, Arc::clone(store), now).unwrap()
}

fn change(names: &Names, name: &str, operation: Operation<'_>) -> Result<(), NotMade> {
    let path = Path::parse(name).unwrap();
    names.change(|tree| tree.plan(ContextId::ROOT, &path, operation))
}

/// The ids of what is bound, after leases have ended.
fn bound(names: &Names, now: u64) -> String {
    assert!(!names.end_leases(now).unwrap());
    let listing = names.read().list(ContextId::ROOT, None, 100).unwrap();
    listing.iter().map(|(key, _)| char::from(key[0])).collect()
}

#[test]
fn bindings_go_away_with_their_leases() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let names = load(&store, 1000);
    let empty = names.read().octets();
    change(&names, "a", Operation::BindUntil(OBJECT, 2000)).unwrap();
    change(&names, "b", Operation::RebindUntil(OBJECT, 3000)).unwrap();
    change(&names, "c", Operation::Bind(OBJECT)).unwrap();
    assert_eq!(bound(&names, 1999), "abc");
    let again = change(&names, "a", Operation::BindUntil(OBJECT, 9000)).unwrap_err();
    assert!(matches!(again, NotMade::Refused(Refusal::AlreadyBound)), "{again:?}");
    assert_eq!(bound(&names, 2000), "bc");
    change(&names, "b", Operation::RebindUntil(OBJECT, 5000)).unwrap();
    assert_eq!((bound(&names, 4999), bound(&names, 5000)), ("bc".into(), "c".into()));
    change(&names, "c", Operation::Unbind).unwrap();
    assert_eq!(names.read().octets(), empty);
}

#[test]
fn many_leases_end_with_few_commits() {
    let stores: [Option<Arc<dyn Store>>; 2] = [None, Some(Arc::new(MemoryStore::new()))];
    for store in stores {
        let options = NamingOptions::default();
        let names = match store {
            Some(store) => Names::load(options, store, 0).unwrap(),
            None => Names::new(options),
        };
        let count = 2 * ENDED_AT_ONCE + 1;
        for name in 0..count {
            let end = u64::try_from(name).unwrap();
            change(&names, &format!("x{name}"), Operation::BindUntil(OBJECT, end)).unwrap();
        }
        let left = [ENDED_AT_ONCE + 1, 1, 0, 0];
        let steps = [true, true, false, false];
        for step in steps.into_iter().zip(left) {
            let has_more = names.end_leases(count as u64).unwrap();
            assert_eq!((has_more, names.read().bindings()), step);
        }
    }
}

#[test]
fn renewals_need_no_room() {
    let options = NamingOptions { naming_memory: 2000, ..NamingOptions::default() };
    let names = Names::new(options);
    change(&names, "a", Operation::BindUntil(OBJECT, 10)).unwrap();
    let is_full = |made: Result<(), NotMade>| matches!(made, Err(NotMade::Refused(Refusal::Full)));
    let full = (0..)
        .find(|number| is_full(change(&names, &format!("x{number}"), Operation::Bind(OBJECT))));
    assert!(full.is_some());
    change(&names, "a", Operation::RebindUntil(OBJECT, 20)).unwrap();
    change(&names, "x0", Operation::Rebind(OBJECT)).unwrap();
    let other = [&[1, b'x', 0], &[7; 500][..]].concat();
    assert!(is_full(change(&names, "a", Operation::RebindUntil(Bound::Object(&other), 30))));
    assert!(is_full(change(&names, "x0", Operation::RebindUntil(OBJECT, 30))), "a lease is new");
    assert_eq!((bound(&names, 19).contains('a'), bound(&names, 20).contains('a')), (true, false));
}

#[test]
fn a_binding_without_a_lease_replaces_one_with_a_lease() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let names = load(&store, 0);
    for name in ["a", "b"] {
        change(&names, name, Operation::BindUntil(OBJECT, 10)).unwrap();
    }
    change(&names, "a", Operation::Rebind(OBJECT)).unwrap();
    change(&names, "b", Operation::Unbind).unwrap();
    change(&names, "b", Operation::Bind(OBJECT)).unwrap();
    assert_eq!(bound(&names, 99), "ab");
    assert_eq!(bound(&load(&store, 99), 99), "ab");
}

#[test]
fn leases_survive_a_restart() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let names = load(&store, 0);
    change(&names, "a", Operation::BindUntil(OBJECT, 1000)).unwrap();
    change(&names, "b", Operation::BindUntil(OBJECT, 2000)).unwrap();
    let names = load(&store, 500);
    assert_eq!((bound(&names, 999), bound(&names, 1000)), ("ab".into(), "b".into()));
    assert_eq!(bound(&load(&store, 1500), 1999), "b");
    // The system was off, or its time was set back.
    assert_eq!(bound(&load(&store, 9999), 9999), "");
    change(&names, "b", Operation::RebindUntil(OBJECT, 1_000_000_000)).unwrap();
    let longest = 86_400_000;
    let names = load(&store, 0);
    assert_eq!((bound(&names, longest - 1), bound(&names, longest)), ("b".into(), "".into()));
}

#[test]
fn the_number_of_leases_is_limited() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let names = load(&store, 0);
    for name in ["a", "b", "a", "b"] {
        change(&names, name, Operation::RebindUntil(OBJECT, 10)).unwrap();
    }
    let third = change(&names, "c", Operation::BindUntil(OBJECT, 10)).unwrap_err();
    assert!(matches!(third, NotMade::Refused(Refusal::Full)), "{third:?}");
    change(&names, "c", Operation::Bind(OBJECT)).unwrap();
    change(&names, "a", Operation::Unbind).unwrap();
    change(&names, "c", Operation::RebindUntil(OBJECT, 10)).unwrap();
    assert_eq!(bound(&names, 10), "");
}

#[test]
fn malformed_leases_are_refused() {
    for (row, end) in [(&[0; 3][..], &[0; 8][..]), (&[0; 9], &[0; 7])] {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        store.commit(Batch::new().put("naming.leases", row, end)).unwrap();
        let error = Names::load(NamingOptions::default(), store, 0).unwrap_err();
        assert!(error.to_string().contains("a malformed lease"), "{error:?}");
    }
}

#[test]
fn leases_without_bindings_are_forgotten() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    store.commit(Batch::new().put("naming.leases", [0; 9], [0; 8])).unwrap();
    assert_eq!(load(&store, 0).read().leases().len(), 0);
    assert_eq!(store.get("naming.leases", &[0; 9]).unwrap(), None);
}
