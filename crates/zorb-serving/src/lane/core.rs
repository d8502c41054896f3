//! The part of a lane that is shared with its connections.

use std::borrow::Cow;
use std::cell::Cell;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Weak};

use zorb_base::callback::call_back;
use zorb_base::calling_lane::{CallingLane, Entered};
use zorb_base::threads::{Running, ThreadCount};
use zorb_poa::ConnectionSetup;

use super::adapters::ServedAdapters;
use super::permits::{Permit, Permits};
use super::steady_state::SteadyState;
use super::workers::assist;
use crate::context::ServerContext;
use crate::settings::LaneSettings;
use crate::upcall_count::UpcallCount;

/// The part of a lane that its connections, strategies and threads use.
#[derive(Debug)]
pub struct LaneCore {
    pub(crate) settings: LaneSettings,
    /// Whether other threads serve requests than those that receive them.
    pub(super) queues_requests: bool,
    /// Whether the resumed requests of a connection are served one after the other: with thread per connection.
    pub(super) resumes_in_order: bool,
    /// The unique number of its pool; 0 for the default lane.
    pub(super) pool: usize,
    pub(super) name: String,
    /// How many threads it has started.
    pub(super) started: AtomicU32,
    pub(super) stack_size: Option<usize>,
    pub(super) context: Weak<ServerContext>,
    /// The threads of its pool.
    pub(super) pool_threads: Arc<ThreadCount>,
    pub(super) adapters: Arc<ServedAdapters>,
    /// The connections for its threads' own calls; `None` if too many lanes have some.
    pub(super) calling: Option<CallingLane>,
    pub(super) permits: Option<Permits>,
    /// The upcalls of requests that were held and whose clients have gone.
    pub(crate) without_client: UpcallCount,
    /// Whether it may have connections with threads of their own as well as at its reactor.
    pub(super) is_mixed: AtomicBool,
    pub(crate) steady_state: Arc<SteadyState>,
}

/// What prepares threads, as the log names it: the program's priority mapping is part of it.
const THREADS: &str = "preparing a lane's thread";

/// The highest number of a thread: then they begin again. Linux shows 15 octets of a name, as in `zorb-serve-9999`.
const MAX_NUMBER: u32 = 9999;

thread_local! {
    /// The number of the thread's pool; 0 for none.
    static POOL: Cell<usize> = const { Cell::new(0) };
}

/// The number of the calling thread's pool; 0 for none.
pub(crate) fn pool_of_thread() -> usize {
    POOL.get()
}

impl LaneCore {
    /// Whether other threads serve requests than those that receive them.
    #[inline]
    pub(crate) fn queues_requests(&self) -> bool {
        self.queues_requests
    }

    /// Whether the resumed requests of a connection are served one after the other.
    pub(crate) fn resumes_in_order(&self) -> bool {
        self.resumes_in_order
    }

    /// The number of its pool; 0 for the default lane.
    #[inline]
    pub(crate) fn pool(&self) -> usize {
        self.pool
    }

    /// Whether it is the ORB's default lane, outside pools.
    #[inline]
    pub(crate) fn is_default(&self) -> bool {
        self.pool == 0
    }

    /// Starts a thread of the lane, and passes the result of
    /// [`LaneThreads::begin`](crate::LaneThreads::begin) to `body`.
    pub(crate) fn spawn(
        self: &Arc<Self>,
        body: impl FnOnce(io::Result<()>) + Send + 'static,
    ) -> io::Result<()> {
        let Some(core) = self.context.upgrade() else { return Err(io::ErrorKind::NotFound.into()) };
        // A pool counts its threads itself, but the shutdown of the ORB waits for them.
        let mut running = (!self.is_default()).then(|| core.threads().enter());
        let lane = Arc::clone(self);
        self.pool_threads.spawn_with(&self.thread_name(), self.stack_size, move || {
            running.iter_mut().for_each(Running::is_this_thread);
            let _running = running;
            POOL.set(lane.pool);
            let _calling = lane.calls();
            let _watching = lane.steady_state.watch();
            let begun = call_back(THREADS, || lane.settings.threads.begin());
            body(begun.unwrap_or_else(|| Err(io::Error::other("preparing the thread panicked"))));
        })
    }

    /// The name of the next thread. Those of the default lane have numbers: it may have many, which serve different clients.
    fn thread_name(&self) -> Cow<'_, str> {
        if !self.is_default() {
            return Cow::Borrowed(&self.name);
        }
        let number = self.started.fetch_add(1, Ordering::Relaxed) % MAX_NUMBER + 1;
        Cow::Owned(format!("{}-{number}", self.name))
    }

    /// Counts a request that has no thread, for those who wait for the threads of the lane's pool; `None` for the default
    /// lane, whose threads are the ORB's.
    pub(crate) fn count_request(&self) -> Option<Running> {
        (!self.is_default()).then(|| self.pool_threads.enter())
    }

    /// How many threads may serve one peer.
    pub(crate) fn thread_limit_per_peer(&self) -> usize {
        self.context.upgrade().map_or(0, |core| core.options().thread_limit_per_peer())
    }

    /// Makes the calling thread work for this lane: see [`LaneThreads::adopt`](crate::LaneThreads::adopt).
    pub(crate) fn adopt(&self) {
        call_back(THREADS, || self.settings.threads.adopt());
    }

    /// Gives a borrowed thread the lane's priority: see [`LaneThreads::raise`](crate::LaneThreads::raise).
    pub(crate) fn raise(&self, thread: u32) {
        call_back(THREADS, || self.settings.threads.raise(thread));
    }

    /// Closes the connections of its threads' own calls, after the threads have ended.
    pub(crate) fn close_calls(&self) {
        if let Some((calling, core)) = self.calling.as_ref().zip(self.context.upgrade()) {
            core.lane_ended(calling);
            calling.end();
        }
    }

    /// Routes the calling thread's own calls over the lane's connections until the result is dropped.
    pub(crate) fn calls(&self) -> Option<Entered> {
        self.calling.as_ref().map(CallingLane::enter)
    }

    /// The calling thread is about to wait.
    #[inline]
    pub(crate) fn work_ends(&self) {
        self.steady_state.work_ends();
    }

    /// Whether its threads must not allocate: it is in the steady state.
    pub(crate) fn is_frozen(&self) -> bool {
        self.steady_state.is_on()
    }

    /// Its wait is over.
    #[inline]
    pub(crate) fn work_begins(&self) {
        self.steady_state.work_begins();
    }

    /// Whether it may have more than one thread that makes upcalls.
    pub(crate) fn has_many_threads(&self) -> bool {
        self.settings.max_threads() > 1
    }

    /// Waits until an upcall may begin, on a connection's `own_thread` or on a thread of the reactor. The
    /// latter need no permit if all connections are at the reactor: their number is limited.
    #[inline]
    pub(crate) fn permit(&self, own_thread: bool) -> Option<Permit<'_>> {
        let permits = self.permits.as_ref()?;
        (own_thread || self.is_mixed.load(Ordering::Relaxed)).then(|| permits.take())
    }

    /// Gives an auxiliary thread, which accepts connections or starts threads, the lane's priority and
    /// processors.
    pub(crate) fn adopt_thread(&self) {
        assist(&self.steady_state, &*self.settings.threads);
    }

    /// The setup of accepted connections: that of the only adapter. `None` if there is not exactly one.
    pub(crate) fn connection_setup(&self) -> Option<Option<Arc<ConnectionSetup>>> {
        self.adapters.only()
    }

    /// The priority that its endpoints serve; `None` for any.
    pub fn priority(&self) -> Option<i16> {
        self.settings.priority
    }

    /// Its name, with which those of its threads begin (the system truncates them).
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}
