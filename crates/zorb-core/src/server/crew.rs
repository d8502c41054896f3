//! The threads of one connection, and how the reading role goes from one to another.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::Shutdown;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use zorb_giop::{PolicyValue, ProfileTag};
use zorb_os::lock::{Condition, Lock, Locked};
use zorb_transport::{Stream, StreamOptions};

use super::ServerConnection;
use super::in_lane::{InLane, short};
use super::role::Reading;
use crate::counters::{Count, count};
use crate::loan::BufferStrategy;
use crate::orb::OrbCore;

/// How long a thread without the reading role waits for it before it ends.
const FOLLOWER_LINGER: Duration = Duration::from_secs(1);

/// The threads of a connection.
#[derive(Debug, Default)]
pub(super) struct Crew {
    members: Lock<Members>,
    role_offered: Condition,
}

#[derive(Debug, Default)]
struct Members {
    threads: usize,
    idle: usize,
    /// The reading role on its way to an idle thread, or to one that is being started.
    offered: Option<Box<Reading>>,
    ended: bool,
    /// Whether the peer is owed a CloseConnection when the last thread leaves.
    farewell: bool,
}

/// What a thread is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Anything but an upcall.
    Large,
    /// An upcall, during which others may take the reading role.
    Upcall,
    /// An upcall whose thread has had another one take the role.
    Relieved,
}

thread_local! {
    static SERVED: RefCell<Weak<ServerConnection>> = const { RefCell::new(Weak::new()) };
    static AT: Cell<At> = const { Cell::new(At::Large) };
}

/// Whether this thread is inside an upcall.
pub(crate) fn in_upcall() -> bool {
    AT.get() != At::Large
}

/// Whether this thread is inside an upcall to a servant of `core`.
pub(crate) fn in_upcall_of(core: &Arc<OrbCore>) -> bool {
    let connection = if in_upcall() { SERVED.with_borrow(Weak::upgrade) } else { None };
    connection.is_some_and(|connection| Arc::ptr_eq(&connection.core, core))
}

/// The connection whose upcall this thread is inside of.
pub(super) fn served_connection() -> Option<Arc<ServerConnection>> {
    if in_upcall() { SERVED.with_borrow(Weak::upgrade) } else { None }
}

/// What replies can lie in.
pub(crate) struct Buffers {
    pub(crate) stream: Arc<dyn Stream>,
    pub(crate) core: Arc<OrbCore>,
    /// What was said of the connection.
    pub(crate) strategy: Option<BufferStrategy>,
}

/// What the reply to the request can lie in whose upcall this thread is inside of.
pub(crate) fn buffers_of_upcall() -> Option<Buffers> {
    let connection = served_connection()?;
    let chosen = usize::from(connection.buffer_strategy.load(Ordering::Relaxed));
    Some(Buffers {
        stream: Arc::clone(&connection.stream),
        core: Arc::clone(&connection.core),
        strategy: chosen.checked_sub(1).and_then(|at| BufferStrategy::ALL.get(at).copied()),
    })
}

/// The priority of the lane whose connection's upcall this thread is inside of.
pub(super) fn lane_of_upcall() -> Option<i16> {
    let connection = if in_upcall() { SERVED.with_borrow(Weak::upgrade) } else { None };
    connection?.lane.as_ref()?.priority()
}

/// The kind of the profiles by which the connection has come whose upcall this thread is inside of.
pub(crate) fn served_by() -> Option<ProfileTag> {
    let connection = if in_upcall() { SERVED.with_borrow(Weak::upgrade) } else { None };
    connection.map(|connection| connection.profile)
}

/// Sets up the connection whose upcall this thread is inside of, unless who is known by `mark` was the
/// last to do so; `said` says how, where options say something of it, and declares a priority.
pub(crate) fn set_up_served(mark: usize, said: &dyn SaysHow) {
    let connection = if in_upcall() { SERVED.with_borrow(Weak::upgrade) } else { None };
    if let Some(connection) = connection {
        connection.set_up(mark, said);
    }
}

/// Takes note of the band of priorities that the client tells of the connection whose upcall this thread
/// is inside of, and has the connection be in its class of the network; its highest priority. `None`
/// for what is no band, and in a lane, whose connections and threads have the lane's priority.
#[cold]
pub(super) fn told_band(data: &[u8]) -> Option<i16> {
    let (low, high) = (short(data, 0)?, short(data, 1)?);
    let connection = if in_upcall() { SERVED.with_borrow(Weak::upgrade) } else { None }?;
    if connection.lane.is_some() || low < 0 || high < low {
        return None;
    }
    let overrides = connection.core.overrides().load();
    let high = overrides.resting.as_ref().map_or(high, |resting| high.min(resting.most()));
    connection.band.store(high, Ordering::Relaxed);
    let plain = connection.core.options().stream_options();
    let options = overrides.in_network(Some(high), (&[], None), (plain.clone(), None));
    // What an adapter says comes on top of it again.
    connection.set_up_by.store(0, Ordering::Release);
    if options != plain
        && let Err(error) = connection.stream.set_options(&options)
    {
        tracing::warn!(peer = connection.stream.peer(), %error, "no class for a band");
    }
    Some(high)
}

/// To be called before a thread may block for long: when it is inside an upcall, another thread
/// reads on from the connection that the upcall came from.
#[inline]
pub(crate) fn about_to_block() {
    if AT.get() == At::Upcall
        && let Some(connection) = SERVED.with_borrow(Weak::upgrade)
    {
        Upcall::pass_on(&connection);
    }
}

/// The upcall that this thread is in.
pub(super) struct Upcall;

impl Upcall {
    /// Says whose requests this thread serves.
    pub(super) fn serve(connection: &Arc<ServerConnection>) {
        SERVED.with_borrow_mut(|served| {
            // The threads of a lane serve now this one, now that.
            if !std::ptr::eq(served.as_ptr(), Arc::as_ptr(connection)) {
                *served = Arc::downgrade(connection);
            }
        });
    }

    pub(super) fn begin() {
        AT.set(At::Upcall);
    }

    pub(super) fn end() {
        AT.set(At::Large);
    }

    /// Has another thread read, once an upcall: if this one's role is gone already, what could be
    /// passed on is the role of a thread that does not wait.
    pub(super) fn pass_on(connection: &Arc<ServerConnection>) {
        if connection.hand_over() {
            AT.set(At::Relieved);
        }
    }
}

/// What an adapter's policies say of connections by which its objects are called.
pub(crate) trait SaysHow {
    /// How connections by profiles of this kind are set up where `otherwise` holds where nothing is said;
    /// and whether they are in the class of the network that goes with their priority, if that is said.
    fn stream(
        &self,
        profile: ProfileTag,
        otherwise: StreamOptions,
    ) -> (StreamOptions, Option<bool>);

    /// The policies that clients know, one of which may declare a priority.
    fn exposed(&self) -> &[PolicyValue];
}

impl ServerConnection {
    /// Sets it up as `said` says, unless who is known by `mark` was the last to do so.
    pub(super) fn set_up(&self, mark: usize, said: &dyn SaysHow) {
        if self.set_up_by.swap(mark, Ordering::AcqRel) == mark {
            return;
        }
        let told = Some(self.band.load(Ordering::Relaxed)).filter(|high| *high >= 0);
        let priority = self.lane.as_ref().and_then(InLane::priority);
        let (options, wanted) = said.stream(self.profile, self.core.options().stream_options());
        // Without being asked for, the class is that of lanes and bands.
        let declared = if wanted == Some(true) { said.exposed() } else { &[] };
        let band = told.map(|high| high..=high);
        let overrides = self.core.overrides().load();
        let options = overrides.in_network(priority, (declared, band.as_ref()), (options, wanted));
        if let Err(error) = self.stream.set_options(&options) {
            tracing::warn!(peer = self.stream.peer(), %error, "a property cannot be set");
        }
    }

    /// Sets it up before anything has come over it: as the adapter says whose endpoint it has come to, or
    /// where that may be one of several, as the ORB's own policies say.
    pub(super) fn set_up_as_accepted(&self) {
        let by_adapter = self.lane.as_ref().and_then(InLane::sets_up);
        let sets_up = by_adapter.unwrap_or_else(|| self.core.overrides().load().sets_up.clone());
        if let Some(sets_up) = sets_up {
            self.set_up(sets_up.mark(), &*sets_up);
        }
    }

    fn members(&self) -> Locked<'_, Members> {
        self.crew.members.lock()
    }

    /// Starts the first thread, which has the reading role.
    pub(super) fn begin(self: &Arc<Self>, reading: Box<Reading>) -> io::Result<()> {
        let mut members = self.members();
        members.offered = Some(reading);
        self.spawn(&mut members)
    }

    /// Starts a thread that takes the role on offer.
    fn spawn(self: &Arc<Self>, members: &mut Members) -> io::Result<()> {
        let connection = Arc::clone(self);
        self.core.threads().spawn("zorb-serve", move || connection.run())?;
        members.threads += 1;
        Ok(())
    }

    /// Whether another thread of the connection is in an upcall.
    pub(super) fn is_busy(&self) -> bool {
        let members = self.members();
        members.threads - members.idle > 1
    }

    /// Has another thread take the reading role, if there is one. Whether the role is not to be had any
    /// more, for this or another reason.
    pub(super) fn hand_over(self: &Arc<Self>) -> bool {
        if self.lane.is_some() {
            return true; // the others of the lane wait for it already
        }
        let mut members = self.members();
        let full = members.threads >= self.core.options().max_threads_per_connection;
        if members.ended || (members.idle == 0 && full) {
            return members.ended;
        }
        let Some(reading) = self.parked.take() else { return true };
        count(Count::HandOvers);
        members.offered = Some(reading);
        if members.idle > 0 {
            self.crew.role_offered.tell_one();
        } else if self.spawn(&mut members).is_err()
            && let Some(reading) = members.offered.take()
        {
            // No thread to be had: reading goes on after the upcall. Should that have ended
            // meanwhile, its thread waits for the crew and then finds the role.
            drop(self.parked.put(reading));
            return false;
        }
        true
    }

    /// Takes the reading role again after an upcall in which it could be taken by others, or waits for
    /// it; `None` when this thread is no longer needed.
    pub(super) fn take_over(&self) -> Option<Box<Reading>> {
        if let Some(reading) = self.parked.take() {
            return Some(reading);
        }
        let reading = self.follow()?;
        self.rest();
        Some(reading)
    }

    /// Has the calling thread rest at the priority of the connection's band, if it has one.
    pub(super) fn rest(&self) {
        let band = self.band.load(Ordering::Relaxed);
        if band >= 0
            && let Some(resting) = &self.core.overrides().load().resting
        {
            resting.rest(band);
        }
    }

    /// Waits for the reading role; `None` when this thread is no longer needed.
    pub(super) fn follow(&self) -> Option<Box<Reading>> {
        let mut members = self.members();
        if let Some(reading) = members.offered.take().or_else(|| self.parked.take()) {
            return Some(reading);
        }
        count(Count::HandOvers);
        members.idle += 1;
        let needed = |members: &mut Members| members.offered.is_none() && !members.ended;
        let mut members = self.crew.role_offered.wait_while(members, FOLLOWER_LINGER, needed);
        members.idle -= 1;
        members.offered.take()
    }

    /// Ends this thread's part; the last one out closes the connection. `ended` is given by the
    /// thread that found the connection's end, with whether the peer is owed a farewell.
    pub(super) fn leave(&self, ended: Option<bool>) {
        let mut members = self.members();
        if let Some(farewell) = ended {
            members.ended = true;
            members.farewell |= farewell;
            self.crew.role_offered.tell_all();
        }
        members.threads -= 1;
        if members.threads > 0 || !members.ended {
            return;
        }
        let farewell = members.farewell && !self.parted.load(Ordering::Acquire);
        drop(members);
        if farewell {
            self.say_goodbye();
        }
        let _ = self.stream.shutdown(Shutdown::Both);
        self.core.forget_connection(self);
    }

    /// Ends the connection without a farewell, and this thread's part in it.
    pub(super) fn break_off(&self) {
        self.parted.store(true, Ordering::Release);
        self.closing.store(true, Ordering::Release);
        let _ = self.stream.shutdown(Shutdown::Both);
        self.leave(Some(false));
    }

    /// Ends a connection that is not going to be served; its client may try elsewhere.
    pub(crate) fn turn_away(&self) {
        self.say_goodbye();
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Ends the connection in an orderly way: running requests finish, the peer is told.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Release);
        let _ = self.stream.shutdown(Shutdown::Read);
    }
}
