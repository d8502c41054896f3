//! A server with a serving strategy, and a client.

use std::sync::{Arc, Condvar, Mutex};

use zorb::poa::{ObjectId, Poa, PoaError, PoaPolicies, Upcall};
use zorb::rt::{LaneBuilder, Priority, RtOrb, Strategy, Threadpool};
use zorb::{Interface as _, ObjectRef, Orb, Result, SystemException, SystemExceptionKind};
use zorb_poa_tests::Desk;
use zorb_poa_tests::desk::ActError;
pub(crate) use zorb_testkit::until;

use crate::servants::{Book, Kind, Servant};

/// How the server's requests are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Serving {
    /// By the ORB's own lane, a thread per connection.
    OwnLane,
    /// By a thread pool with this strategy.
    Pool(Strategy),
}

impl Serving {
    pub(crate) const ALL: [Self; 5] = [
        Self::OwnLane,
        Self::Pool(Strategy::ThreadPerConnection),
        Self::Pool(Strategy::LeaderFollowers),
        Self::Pool(Strategy::HalfSync),
        Self::Pool(Strategy::SingleThread),
    ];
}

pub(crate) struct Scene {
    pub(crate) server: Orb,
    pub(crate) client: Orb,
    pub(crate) serving: Serving,
    pub(crate) kind: Kind,
    pub(crate) book: Arc<Book>,
    pool: Option<Threadpool>,
}

impl Scene {
    pub(crate) fn new(serving: Serving, kind: Kind) -> Self {
        Self::with_options(serving, kind, &[])
    }

    /// A scene whose server has these options.
    pub(crate) fn with_options(serving: Serving, kind: Kind, options: &[(&str, &str)]) -> Self {
        let orb = || Orb::builder().without_environment();
        let server = options.iter().fold(orb(), |orb, (name, value)| orb.option(name, *value));
        let server = server.listen("iiop://127.0.0.1:0").build().unwrap();
        // Until then, what a persistent reference names may still be created.
        server.serve().unwrap();
        let client = orb().build().unwrap();
        let pool = match serving {
            Serving::OwnLane => None,
            Serving::Pool(strategy) => {
                let rt = RtOrb::builder().attach(&server).unwrap();
                let threads = if strategy == Strategy::SingleThread { 1 } else { 3 };
                let lane = LaneBuilder::new(Priority::default(), threads);
                let pool = rt.threadpool("suite").without_lanes(lane).strategy(strategy);
                Some(pool.create().unwrap())
            }
        };
        let book = Arc::new(Book::new(server.poa_current()));
        Self { server, client, serving, kind, book, pool }
    }

    /// How many upcalls the server can make at the same time, at most 2.
    pub(crate) fn threads(&self) -> usize {
        if self.serving == Serving::Pool(Strategy::SingleThread) { 1 } else { 2 }
    }

    /// Sets what upcalls of `act` do.
    pub(crate) fn act(
        &self,
        action: impl Fn(&Upcall<'_>) -> Result<(), ActError> + Send + Sync + 'static,
    ) {
        *self.book.action.lock().unwrap() = Arc::new(action);
    }

    /// Lets upcalls of `act` wait at a gate, and records their beginnings and ends.
    pub(crate) fn act_at_gate(&self) -> Arc<Gate> {
        let (gate, book) = (Arc::<Gate>::default(), Arc::clone(&self.book));
        let passed = Arc::clone(&gate);
        self.act(move |_| {
            book.note("begins");
            passed.pass();
            book.note("ends");
            Ok(())
        });
        gate
    }

    pub(crate) fn end(self) {
        self.client.shutdown(true).unwrap();
        self.server.shutdown(true).unwrap();
    }

    /// Policies with the scene's thread pool.
    pub(crate) fn in_pool(&self, policies: PoaPolicies) -> PoaPolicies {
        match &self.pool {
            Some(pool) => policies.with(pool.policy()),
            None => policies,
        }
    }

    /// The same, and for its kind of servant.
    pub(crate) fn policies(&self, policies: PoaPolicies) -> PoaPolicies {
        let policies = self.in_pool(policies);
        match self.kind.is_by_default() {
            true => policies.multiple_ids().default_servant(),
            false => policies,
        }
    }

    pub(crate) fn poa(&self, name: &str, policies: PoaPolicies) -> Poa {
        self.server.root_poa().create(name, self.policies(policies)).unwrap()
    }

    pub(crate) fn servant(&self) -> Servant {
        Servant::new(self.kind, &self.book)
    }

    /// An object with a servant of its own, or the adapter's default servant.
    pub(crate) fn object(&self, poa: &Poa, id: &str) -> Desk {
        self.object_of(poa, id, &self.servant()).unwrap()
    }

    /// An object with this servant. A default servant is set, and no object activated.
    pub(crate) fn object_of(&self, poa: &Poa, id: &str, of: &Servant) -> Result<Desk, PoaError> {
        if self.kind.is_by_default() {
            poa.set_servant(of.any())?;
            return poa.create_reference_with_id(id);
        }
        self.activate(poa, Some(id.into()), of)
    }

    /// Activates an object, with an id that the adapter assigns if `id` is `None`.
    pub(crate) fn activate(
        &self,
        poa: &Poa,
        id: Option<ObjectId>,
        servant: &Servant,
    ) -> Result<Desk, PoaError> {
        match (servant, id) {
            (Servant::Typed(servant), Some(id)) => {
                poa.activate_shared_with_id(id.as_bytes(), servant)
            }
            (Servant::Typed(servant), None) => poa.activate_shared(servant),
            (Servant::Dynamic(servant), Some(id)) => {
                let object: ObjectRef = poa.activate_shared_with_id(id.as_bytes(), servant)?;
                Ok(Desk::from_object(object))
            }
            (Servant::Dynamic(servant), None) => {
                let object: ObjectRef = poa.activate_shared(servant)?;
                Ok(Desk::from_object(object))
            }
        }
    }

    /// An object as its own ORB and another one see it.
    pub(crate) fn views(&self, desk: &Desk) -> [(&'static str, Desk); 2] {
        let there = self.client.resolve(&desk.as_object().to_ior_string()).unwrap();
        [("collocated", desk.clone()), ("remote", there)]
    }

    /// Checks that an object with this id is served.
    #[track_caller]
    pub(crate) fn assert_served(&self, desk: &Desk, id: &str) {
        for (view, desk) in self.views(desk) {
            // A reference binds its object in its first call.
            for _ in 0..2 {
                assert_eq!(desk.served().as_deref(), Ok(id), "{view}");
            }
        }
    }

    /// Checks that calls fail with such an exception.
    #[track_caller]
    pub(crate) fn assert_refused(&self, desk: &Desk, kind: SystemExceptionKind, minor: u16) {
        for (view, desk) in self.views(desk) {
            let refused = desk.served().unwrap_err();
            assert_eq!((refused.kind, refused.minor.code()), (kind, minor), "{view}");
        }
    }
}

/// Stops upcalls until it is opened.
#[derive(Default)]
pub(crate) struct Gate {
    state: Mutex<AtGate>,
    changed: Condvar,
}

#[derive(Default)]
struct AtGate {
    reached: usize,
    is_open: bool,
}

impl Gate {
    /// Waits until it is open.
    pub(crate) fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.reached += 1;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| !state.is_open).unwrap());
    }

    /// Waits until so many upcalls are at the gate, calls `work`, and opens the gate.
    pub(crate) fn when_reached<T>(&self, count: usize, work: impl FnOnce() -> T) -> T {
        /// Opens the gate, also if `work` has panicked.
        struct Opening<'a>(&'a Gate);
        impl Drop for Opening<'_> {
            fn drop(&mut self) {
                self.0.state.lock().unwrap().is_open = true;
                self.0.changed.notify_all();
            }
        }
        let state = self.state.lock().unwrap();
        drop(self.changed.wait_while(state, |state| state.reached < count).unwrap());
        let _opening = Opening(self);
        work()
    }
}

/// The system exception of an adapter's error.
pub(crate) fn system(error: PoaError) -> SystemException {
    match error {
        PoaError::System(exception) => exception,
        other => panic!("{other:?}"),
    }
}
