//! Threads that Rust's standard library does not know, as another language's runtime starts them.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{Acting, Echo, Servant, builder, client, until};
use zorb_core::policy::{Policies, RelativeRoundtripTimeout};
use zorb_core::{CollocationStrategy, Interface, Orb};
use zorb_os::thread::run_on_foreign;
use zorb_testkit::{in_own_process, open_sockets};
use zorb_types::Any;

/// Calls from the destructor of a thread-local.
struct LastCalls {
    objects: Vec<Echo>,
    results: Arc<Mutex<Vec<Result<i32, String>>>>,
}

impl Drop for LastCalls {
    fn drop(&mut self) {
        let calls = self.objects.iter().map(|object| object.twice(4).map_err(|e| e.to_string()));
        self.results.lock().unwrap().extend(calls);
    }
}

thread_local! {
    static LAST: RefCell<Option<LastCalls>> = const { RefCell::new(None) };
}

/// An ORB that serves, an object of it, and another ORB's view of that.
struct Scene {
    orb: Orb,
    here: Echo,
    client: Orb,
    there: Echo,
}

impl Scene {
    fn new() -> Self {
        let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
        let current = orb.poa_current();
        // Its upcalls see what they serve, on whatever thread.
        let servant = Acting(move |value| {
            assert_eq!(current.operation().unwrap(), "twice");
            assert!(current.reference::<Echo>().is_ok());
            Ok(2 * value)
        });
        let here: Echo = orb.root_poa().activate(servant).unwrap();
        orb.serve().unwrap();
        let (client, there) = client(&here);
        Self { orb, here, client, there }
    }

    /// The object, remote and with all strategies of collocated calls.
    fn objects(&self) -> Vec<Echo> {
        use CollocationStrategy::{Direct, Marshalled, ThruPoa};
        let collocated = [ThruPoa, Direct, Marshalled].map(|how| self.here.with_collocation(how));
        [self.there.clone()].into_iter().chain(collocated).collect()
    }

    /// What a thread may do: call, activate objects, and use the currents.
    fn use_all(&self) {
        for object in self.objects() {
            assert_eq!(object.twice(21), Ok(42));
        }
        let servant = Servant::default();
        let own: Echo = self.orb.root_poa().activate(servant).unwrap();
        assert_eq!(own.twice(1), Ok(2));
        let (other, there) = client(&own);
        assert_eq!(there.twice(2), Ok(4));
        other.shutdown(true).unwrap();
        let id = self.orb.root_poa().id_of(&own).unwrap();
        self.orb.root_poa().deactivate(&id).unwrap();
        assert!(self.orb.poa_current().operation().is_err(), "it serves nothing");
        let hour = Policies::new().with(RelativeRoundtripTimeout(Duration::from_secs(3600)));
        assert!(self.client.policy_current().policy_overrides().is_empty());
        self.client.policy_current().add(&hour).unwrap();
        assert_eq!(self.there.twice(3), Ok(6));
    }
}

#[test]
fn foreign_threads_call_serve_and_leave_nothing() {
    let name = "foreign_threads::foreign_threads_call_serve_and_leave_nothing";
    in_own_process(name, || {
        let before = open_sockets();
        let scene = Scene::new();
        let slot = scene.client.allocate_slot().unwrap();
        let current = scene.client.pi_current();
        let mut after_first = None;
        for round in 0..20 {
            let results = Arc::<Mutex<Vec<_>>>::default();
            let last = || LastCalls { objects: scene.objects(), results: Arc::clone(&results) };
            run_on_foreign(|| {
                // Dropped after what the calls keep for the thread, or before it.
                let is_first = round % 2 == 0;
                if is_first {
                    LAST.set(Some(last()));
                }
                assert_eq!(current.slot(slot).unwrap(), None, "that of another thread");
                current.set_slot(slot, Some(Any::new::<i32>(&round).unwrap())).unwrap();
                scene.use_all();
                if !is_first {
                    LAST.set(Some(last()));
                }
            })
            .unwrap();
            assert_eq!(*results.lock().unwrap(), [const { Ok(8) }; 4]);
            assert_eq!(Arc::strong_count(&results), 1);
            // Each thread's connections are those of the next one, or have been closed.
            let most = *after_first.get_or_insert_with(open_sockets);
            until(|| open_sockets() <= most);
        }
        let Scene { orb, here, client, there } = scene;
        // One ends the ORBs.
        run_on_foreign(move || {
            client.shutdown(true).unwrap();
            orb.shutdown(true).unwrap();
            drop((orb, here, client, there));
        })
        .unwrap();
        until(|| open_sockets() <= before);
    });
}
