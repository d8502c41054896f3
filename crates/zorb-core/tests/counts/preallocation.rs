//! Memory for messages that is there from the start: a first large message allocates as little as later
//! ones.

use std::sync::Mutex;

use crate::alone;
use crate::support::{Echo, EchoServant, RepeatError, builder, client};
use zorb_core::Result;
use zorb_core::poa::PoaPolicies;
use zorb_core::policy::{ConnectionProperties, Policies};
use zorb_os::alloc::AllocationCount;

const LARGE: usize = 300_000;

fn properties(preallocate: Option<u32>) -> ConnectionProperties {
    let mut properties = ConnectionProperties::default();
    properties.preallocate = preallocate;
    // So that large messages are copied into that memory.
    properties.copy_threshold = Some(1 << 30);
    properties
}

/// The allocations of the serving thread since the last upcall.
#[derive(Default)]
struct Counting {
    at_end: Mutex<Option<AllocationCount>>,
    between: Mutex<Vec<u64>>,
}

impl EchoServant for Counting {
    /// Returns `times` octets.
    fn repeat(&self, text: &str, times: i32) -> Result<String, RepeatError> {
        let now = AllocationCount::this_thread();
        if let Some(before) = *self.at_end.lock().unwrap() {
            self.between.lock().unwrap().push(now.since(before).allocations);
        }
        let large = text.repeat(usize::try_from(times).unwrap_or_default());
        *self.at_end.lock().unwrap() = Some(AllocationCount::this_thread());
        Ok(large)
    }

    fn twice(&self, value: i32) -> Result<i32> {
        Ok(value)
    }

    fn mirror(&self, _: &[u8]) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn note(&self, _: i32) {}

    fn noted(&self) -> Result<i32> {
        Ok(0)
    }

    fn call_back(&self, _: Option<&Echo>, value: i32) -> Result<i32> {
        Ok(value)
    }

    fn panic_now(&self) -> Result<()> {
        Ok(())
    }

    fn wait_for(&self, _: i32) -> Result<()> {
        Ok(())
    }
}

/// Allocations of the calling thread in the first large request of a connection, and in the next ones.
fn requests(preallocate: Option<u32>) -> [u64; 3] {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let echo: Echo = orb.root_poa().activate(Counting::default()).unwrap();
    let (client_orb, there) = client(&echo);
    client_orb.policy_manager().add(&Policies::new().with(properties(preallocate))).unwrap();
    there.mirror(&[1]).unwrap();
    let large = vec![1; LARGE];
    let counts = [(); 3].map(|()| {
        let ((), count) = AllocationCount::of(|| drop(there.mirror(&large).unwrap()));
        count.allocations
    });
    client_orb.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
    counts
}

/// The same of the serving thread, in its first large replies.
fn replies(preallocate: Option<u32>) -> Vec<u64> {
    // On a busy machine the watchdog would hand the input to another thread.
    let orb = builder().listen("iiop://127.0.0.1:0").option("StallTakeover", "3600000");
    let orb = orb.build().unwrap();
    let policies = PoaPolicies::new().with(properties(preallocate));
    let poa = orb.root_poa().create("adapter", policies).unwrap();
    let servant = std::sync::Arc::new(Counting::default());
    let echo: Echo = poa.activate_shared(&servant).unwrap();
    let (client_orb, there) = client(&echo);
    for times in [1, 1, LARGE as i32, LARGE as i32, LARGE as i32] {
        assert_eq!(there.repeat("x", times).unwrap().len(), times as usize);
    }
    client_orb.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
    let between = servant.between.lock().unwrap();
    // The first is that of the very first reply.
    between[1..].to_vec()
}

#[test]
fn memory_that_is_made_beforehand_is_not_made_in_the_first_large_call() {
    let _alone = alone();
    let [first, second, third] = requests(None);
    assert!(first > second, "{first}, {second}");
    assert_eq!(second, third);
    let beforehand = requests(Some(400_000));
    assert_eq!(beforehand, [third; 3], "a request");

    let without = replies(None);
    assert!(without[1] > without[2], "{without:?}");
    assert!(without[1] > replies(Some(400_000))[1], "{without:?}");
    assert_eq!(replies(Some(400_000)), [without[2]; 3], "a reply");
}
