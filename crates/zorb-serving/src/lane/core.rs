//! What connections, strategies and threads use of their lane.

use std::cell::Cell;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use zorb_base::calling_lane::{CallingLane, Entered};
use zorb_base::threads::ThreadCount;
use zorb_poa::ConnectionSetup;

use super::adapters::ServedAdapters;
use super::permits::{Permit, Permits};
use super::steady_state::SteadyState;
use super::workers::assist;
use crate::context::ServerContext;
use crate::settings::LaneSettings;

/// The part of a lane that its connections use.
#[derive(Debug)]
pub struct LaneCore {
    pub(crate) settings: LaneSettings,
    /// Whether requests are queued for other threads than those that receive them.
    pub(super) queues_requests: bool,
    /// The number of its pool, which no other has; 0 for the default lane.
    pub(super) pool: usize,
    pub(super) name: String,
    pub(super) stack_size: Option<usize>,
    pub(super) context: Weak<ServerContext>,
    /// The threads of its pool.
    pub(super) pool_threads: Arc<ThreadCount>,
    pub(super) adapters: Arc<ServedAdapters>,
    /// The connections that its threads' own calls go over; `None` where too many lanes have some.
    pub(super) calling: Option<CallingLane>,
    pub(super) permits: Option<Permits>,
    /// Whether it has connections with threads of their own besides those at its reactor, or may have.
    pub(super) is_mixed: AtomicBool,
    pub(crate) steady_state: Arc<SteadyState>,
}

thread_local! {
    /// The number of the pool that the thread belongs to; 0 for none.
    static POOL: Cell<usize> = const { Cell::new(0) };
}

/// The number of the pool whose thread this is; 0 for none.
pub(crate) fn pool_of_thread() -> usize {
    POOL.get()
}

impl LaneCore {
    /// Whether requests are queued for other threads than those that receive them.
    #[inline]
    pub(crate) fn queues_requests(&self) -> bool {
        self.queues_requests
    }

    /// The number of its pool; 0 for the default lane.
    #[inline]
    pub(crate) fn pool(&self) -> usize {
        self.pool
    }

    /// Whether it is the ORB's own lane, which is no pool's.
    #[inline]
    pub(crate) fn is_default(&self) -> bool {
        self.pool == 0
    }

    /// Starts a thread that works for the lane, and tells its body whether it can be one of it.
    pub(crate) fn spawn(
        self: &Arc<Self>,
        body: impl FnOnce(io::Result<()>) + Send + 'static,
    ) -> io::Result<()> {
        let Some(core) = self.context.upgrade() else { return Err(io::ErrorKind::NotFound.into()) };
        let running = core.threads().enter();
        let lane = Arc::clone(self);
        self.pool_threads.spawn_with(&self.name, self.stack_size, move || {
            let _running = running;
            POOL.set(lane.pool);
            let _calling = lane.calls();
            let _watching = lane.steady_state.watch();
            body(lane.settings.threads.begin());
        })
    }

    /// Closes the connections of its threads' own calls, when they have ended.
    pub(crate) fn close_calls(&self) {
        if let Some((calling, core)) = self.calling.as_ref().zip(self.context.upgrade()) {
            core.lane_ended(calling);
            calling.end();
        }
    }

    /// Has the calling thread's own calls go over the lane's connections until what it returns is dropped.
    pub(crate) fn calls(&self) -> Option<Entered> {
        self.calling.as_ref().map(CallingLane::enter)
    }

    /// The calling thread, which serves one connection or starts others, is about to wait.
    #[inline]
    pub(crate) fn work_ends(&self) {
        self.steady_state.work_ends();
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

    /// Whether the number of upcalls at a time is limited.
    #[inline]
    pub(crate) fn has_permits(&self) -> bool {
        self.permits.is_some()
    }

    /// Waits until one more upcall may begin, on a connection's `own_thread` or on one of those that
    /// wait together. Where the lane has connections of one kind alone, the latter are as many as there
    /// may be upcalls.
    #[inline]
    pub(crate) fn permit(&self, own_thread: bool) -> Option<Permit<'_>> {
        let permits = self.permits.as_ref()?;
        (own_thread || self.is_mixed.load(Ordering::Relaxed)).then(|| permits.take())
    }

    /// Has the calling thread, which accepts connections or starts threads, be as those that serve
    /// requests: at their priority and on their processors.
    pub(crate) fn adopt_thread(&self) {
        assist(&self.steady_state, &*self.settings.threads);
    }

    /// How connections are set up that are accepted: as the adapter says whose alone they are. `None`
    /// where that is not known yet.
    pub(crate) fn connection_setup(&self) -> Option<Option<Arc<ConnectionSetup>>> {
        self.adapters.only()
    }

    /// The priority that its endpoints serve; `None` for any.
    pub fn priority(&self) -> Option<i16> {
        self.settings.priority
    }

    /// The name of its threads, as far as the system keeps it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}
