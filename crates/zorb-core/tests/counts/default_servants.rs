//! Objects that a default servant serves use no memory, however many there are.

use std::sync::Arc;

use crate::alone;
use crate::support::{Echo, Servant, builder};
use zorb_core::Orb;
use zorb_core::poa::{AnyServant, ObjectId, Poa, PoaPolicies};
use zorb_os::alloc::AllocationCount;

/// The blocks of the whole process that are allocated and not freed.
fn live() -> u64 {
    let total = AllocationCount::total();
    total.allocations.saturating_sub(total.frees)
}

/// Calls the object with this id, every hundredth over a connection.
fn call(poa: &Poa, client: &Orb, id: u64) {
    let here: Echo = poa.create_reference_with_id(ObjectId::new(id.to_be_bytes())).unwrap();
    assert_eq!(here.twice(1), Ok(2));
    if id.is_multiple_of(100) {
        let there = client.string_to_object(&here.object().to_ior_string()).unwrap().unwrap();
        let there: Echo = there.unchecked_narrow();
        assert_eq!(there.twice(1), Ok(2));
    }
}

#[test]
fn a_hundred_thousand_objects_of_a_default_servant_leave_no_memory_behind() {
    let _alone = alone();
    let server = builder().listen("iiop://127.0.0.1:0").option("StallTakeover", "3600000");
    let server = server.build().unwrap();
    let client = builder().build().unwrap();
    let root = server.root_poa();
    let policies = || PoaPolicies::new().user_ids().multiple_ids().default_servant();
    for (ids, policies) in [(100_000, policies().non_retain()), (10_000, policies().persistent())] {
        let poa = root.create("defaults", policies).unwrap();
        let servant = Arc::new(Servant::default());
        poa.set_servant(AnyServant::of::<Echo, _>(servant)).unwrap();
        (0..1000).for_each(|id| call(&poa, &client, id));
        let before = live();
        (0..ids).for_each(|id| call(&poa, &client, id));
        let left = live().saturating_sub(before);
        assert!(left < 100, "{left} blocks for {ids} objects");
        poa.destroy();
    }
    // The control: active objects use memory.
    let poa = root.create("active", PoaPolicies::new().user_ids()).unwrap();
    let before = live();
    for id in 0..1000_u64 {
        let id = ObjectId::new(id.to_be_bytes());
        let _: Echo = poa.activate_with_id(id, Servant::default()).unwrap();
    }
    assert!(live() - before >= 1000);
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}
