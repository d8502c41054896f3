//! Clients that ask for too much.

use zorb::{Interface as _, Orb, SystemException, SystemExceptionKind};
use zorb_naming::cos_naming::naming_context::{BindError, ResolveError};
use zorb_naming::cos_naming::{NameComponent, NamingContextExt};
use zorb_naming::name;
use zorb_naming::server::NamingOptions;
use zorb_os::alloc::AllocationCount;
use zorb_testkit::{HostileClients, until};

use crate::support::World;

#[test]
fn very_long_names_are_invalid() {
    let world = World::new();
    let long = "x".repeat(1 << 20);
    let component = |id: &str, kind: &str| NameComponent { id: id.into(), kind: kind.into() };
    for long_name in [
        vec![component(&long, "")],
        vec![component("", &long)],
        vec![component("x", ""), component(&long, &long)],
        vec![component("", ""); 100_000],
    ] {
        let bound = world.root.bind(&long_name, None);
        assert!(matches!(bound, Err(BindError::InvalidName(_))), "{bound:?}");
        let resolved = world.root.resolve(&long_name);
        assert!(matches!(resolved, Err(ResolveError::InvalidName(_))), "{resolved:?}");
    }
    world.root.resolve_str(&long).unwrap_err();
    assert_eq!(world.service.statistics().bindings, 0);
    world.end();
}

/// `ITERATORS` sets how many.
#[test]
fn very_many_iterators_are_as_many_as_the_limit() {
    const NAME: &str = "hostile::very_many_iterators_are_as_many_as_the_limit";
    const LIMIT: u64 = 1_000;
    // Alone, as it counts what the process allocates.
    zorb_testkit::in_own_process(NAME, || {
        let many = std::env::var("ITERATORS").map_or(100_000, |text| text.parse().unwrap());
        let limit = LIMIT as usize;
        let options = NamingOptions { naming_iterators: limit, ..NamingOptions::default() };
        let world = World::with(&options);
        world.root.bind(&name("x").unwrap(), None).unwrap();
        // In the process of the server, which is faster.
        let root = world.service.root().unwrap();
        let another = || root.list(0).unwrap().1.unwrap();
        let first = another();
        let blocks = || {
            let count = AllocationCount::total();
            count.allocations - count.frees
        };
        (0..LIMIT).for_each(|_| drop(another()));
        let before = blocks();
        (LIMIT..many).for_each(|_| drop(another()));
        let after = blocks();
        assert!(after <= before + LIMIT, "{before} blocks of memory have become {after}");
        assert_eq!(world.service.statistics().iterators, limit);
        assert!(first.as_object().non_existent().unwrap());
        assert!(another().next_one().unwrap().0);
        world.end();
    });
}

#[test]
fn strangers_keep_no_client_out() {
    let world = World::limited(&[("MaxConnections", "12"), ("MaxConnectionsPerPeer", "12")]);
    let url = world.root.as_object().to_ior_string();
    let mut clients = HostileClients::at(&world.address());
    for number in 0..60 {
        (0..5).for_each(|_| clients.another());
        let name = name(&format!("n{number}")).unwrap();
        // Its connection may be evicted each time the ORB sends the request again, before the server takes it.
        let is_bound = || match world.root.bind(&name, None).map_err(SystemException::from) {
            Err(error) if error.kind == SystemExceptionKind::Transient => false,
            outcome => outcome.map(|()| true).unwrap(),
        };
        until(is_bound);
        let client = Orb::builder().without_environment().build().unwrap();
        let there: NamingContextExt = client.resolve(&url).unwrap();
        let is_found = || match there.resolve(&name).map_err(SystemException::from) {
            Err(error) if error.kind == SystemExceptionKind::Transient => false,
            outcome => outcome.map(|found| found.is_none()).unwrap(),
        };
        until(is_found);
        client.shutdown(true).unwrap();
    }
    assert_eq!(world.service.statistics().bindings, 60);
    world.end();
}

#[test]
fn a_full_service_refuses_and_stays_as_it_is() {
    let options = NamingOptions {
        naming_memory: 20_000,
        naming_reference_octets: 1_000,
        ..NamingOptions::default()
    };
    let world = World::with(&options);
    let large = world.object(&"k".repeat(1_000));
    let refused: SystemException =
        world.root.bind(&name("x").unwrap(), Some(&large)).unwrap_err().into();
    assert_eq!(refused.kind, SystemExceptionKind::ImpLimit);
    let object = world.object("k");
    let mut bound = 0;
    let refused: SystemException = loop {
        match world.root.bind(&name(&bound.to_string()).unwrap(), Some(&object)) {
            Ok(()) => bound += 1,
            Err(error) => break error.into(),
        }
    };
    assert_eq!(refused.kind, SystemExceptionKind::ImpLimit);
    assert!((100..350).contains(&bound), "{bound}");
    let statistics = world.service.statistics();
    assert_eq!(statistics.bindings, bound);
    assert!(statistics.octets <= 20_000, "{statistics:?}");
    world.root.unbind(&name("0").unwrap()).unwrap();
    world.root.bind(&name("0").unwrap(), Some(&object)).unwrap();
    world.end();
}

#[test]
fn references_that_nobody_can_use_are_stored_as_they_are() {
    let world = World::new();
    // No endpoint of any kind is contacted.
    for text in [
        "IOR:000000000000000100000000000000010000000000000003ffffff",
        "IOR:00000000000000010000000000000001deadbeef000000030102030000",
    ] {
        let object = world.client.string_to_object(text).unwrap().unwrap();
        world.root.rebind(&name("x").unwrap(), Some(&object)).unwrap();
        assert_eq!(world.root.resolve(&name("x").unwrap()).unwrap(), Some(object.clone()));
        let context = object.unchecked_narrow();
        world.root.rebind_context(&name("ctx").unwrap(), Some(&context)).unwrap();
        let beyond = world.root.resolve(&name("ctx/x").unwrap());
        assert!(matches!(beyond, Err(ResolveError::CannotProceed(_))), "{beyond:?}");
    }
    world.end();
}

#[test]
fn long_names_are_listed_in_replies_of_limited_size() {
    let options = NamingOptions { naming_listed_octets: 10_000, ..NamingOptions::default() };
    let world = World::with(&options);
    for number in 0..20 {
        let long = format!("{number}{}", "x".repeat(4000));
        world.root.bind(&name(&long).unwrap(), None).unwrap();
    }
    let (first, iterator) = world.root.list(100).unwrap();
    let iterator = iterator.unwrap();
    let mut lengths = vec![first.len()];
    loop {
        let (more, next) = iterator.next_n(100).unwrap();
        if !more {
            break;
        }
        lengths.push(next.len());
    }
    assert_eq!(lengths, [2; 10]);
    world.end();
}
