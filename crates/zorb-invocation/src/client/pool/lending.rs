//! Lending exclusive connections to calls, and taking them back.

use std::sync::{OnceLock, Weak};
use std::time::{Duration, Instant};

use zorb_base::calling_lane::caller;
use zorb_base::counters::{Count, count};
use zorb_base::upcall_thread::in_upcall;
use zorb_os::lock::Locked;

use super::super::connection::Alive;
use super::super::exclusive::ExclusiveConnection;
use super::super::place::{Lease, Place};
use super::{EndpointPool, NoConnection, PoolState};

impl EndpointPool {
    /// The connection in the calling thread's place, if connections are exclusive and it may be used as
    /// it is.
    #[inline]
    pub(in crate::client) fn exclusive(&self) -> Option<Lease<'_>> {
        if self.sharing.is_some() {
            return None;
        }
        let place = match self.places.get(caller()) {
            Some(place) => self.filled(place),
            None => self.place_elsewhere()?,
        };
        let mut connection = place.take()?;
        if !connection.begin() {
            place.put_aside(connection);
            return None;
        }
        Some(Lease::new(connection, place))
    }

    /// Keeps a connection where it is looked at before it is used.
    #[cold]
    pub(in crate::client) fn put_aside(&self, connection: Box<ExclusiveConnection>) {
        self.state().idle.push(connection);
    }

    /// The place of a thread, by its number.
    fn place(&self, thread: usize) -> Option<&Place> {
        // Their number is a power of two.
        self.places.get(thread & (self.places.len() - 1)).map(|place| self.filled(place))
    }

    #[inline]
    fn filled<'p>(&self, place: &'p OnceLock<Box<Place>>) -> &'p Place {
        place.get_or_init(|| Box::new(Place::new(Weak::clone(&self.itself))))
    }

    /// The place of a thread that calls for a lane, has not called before, or is one of many.
    #[inline(never)]
    fn place_elsewhere(&self) -> Option<&Place> {
        let (pool, thread) = self.for_caller();
        pool.place(thread)
    }

    /// Lends a connection: the thread's own, another idle one, a new one, or one that comes back
    /// before `deadline`. A caller inside an upcall gets one beyond the limit, because those it would
    /// wait for may be waiting for the upcall.
    #[inline]
    pub(super) fn lend(
        &self,
        thread: usize,
        connect_timeout: Duration,
        deadline: Option<Instant>,
    ) -> Result<Lease<'_>, NoConnection> {
        // There are places, so the thread has one.
        let Some(place) = self.place(thread) else { return Err(NoConnection::Busy) };
        let mut kept = place.take();
        match kept.take_if(|connection| connection.begin()) {
            Some(connection) => Ok(Lease::new(connection, place)),
            None => self.lend_another(kept, place, connect_timeout, deadline),
        }
    }

    #[cold]
    fn lend_another<'p>(
        &'p self,
        kept: Option<Box<ExclusiveConnection>>,
        place: &'p Place,
        connect_timeout: Duration,
        deadline: Option<Instant>,
    ) -> Result<Lease<'p>, NoConnection> {
        let mut state = self.state();
        state.idle.extend(kept);
        // Its place may be new to those who wait.
        place.set_wanted(state.waiting > 0 || state.closed);
        loop {
            if state.closed {
                drop(state);
                // What this thread has put there itself.
                self.close();
                return Err(NoConnection::Closed);
            }
            if let Some(mut connection) = state.idle.pop().or_else(|| self.forgotten()) {
                if !connection.begin() {
                    if connection.stream.is_stale() {
                        state.open -= 1;
                        continue;
                    }
                    connection.alive = Alive::now();
                }
                return Ok(Lease::new(connection, place));
            }
            if state.open < self.max_open || in_upcall() {
                state.open += 1;
                let beyond_limit = state.open > self.max_open;
                drop(state);
                let mut connection = self.open(connect_timeout, deadline)?;
                connection.beyond_limit = beyond_limit;
                return Ok(Lease::new(connection, place));
            }
            state = self.wait(state, deadline)?;
        }
    }

    /// A connection from another thread's place that has lain there for a while: the thread may be
    /// busy with other things. One that is in use all the time stays with its thread.
    fn forgotten(&self) -> Option<Box<ExclusiveConnection>> {
        let mut places = self.places.iter().filter_map(OnceLock::get);
        places.find_map(|place| place.take_if(|connection| !connection.is_fresh()))
    }

    /// Waits for a connection to come back, whoever's it is.
    fn wait<'s>(
        &self,
        mut state: Locked<'s, PoolState>,
        deadline: Option<Instant>,
    ) -> Result<Locked<'s, PoolState>, NoConnection> {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return Err(NoConnection::Busy);
        }
        state.waiting += 1;
        // From here on they are brought here; one that was put back just before is in its place.
        let idle = self.all_idle(&mut state, true);
        state.idle.extend(idle);
        if state.idle.is_empty() && !state.closed {
            count(Count::HandOvers);
            state = match left {
                None => self.returned.wait(state),
                Some(left) => self.returned.wait_for(state, left),
            };
        }
        state.waiting -= 1;
        if state.waiting == 0 && !state.closed {
            let places = self.places.iter().filter_map(OnceLock::get);
            places.for_each(|place| place.set_wanted(false));
        }
        Ok(state)
    }

    /// Takes a connection from a thread that cannot keep it in its place.
    pub(in crate::client) fn take_back(&self, mut connection: Box<ExclusiveConnection>) {
        let mut state = self.state();
        if state.closed || state.open > self.max_open {
            state.open -= 1;
            drop(state);
            connection.close();
            return;
        }
        connection.beyond_limit = false;
        state.idle.push(connection);
        drop(state);
        self.returned.notify_one();
    }
}
