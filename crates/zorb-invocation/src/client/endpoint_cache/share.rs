//! Sharing connections among calls.

use std::sync::Arc;

use zorb_giop::ConnectionEnd;

use super::super::connection::Connection;
use super::super::multiplexed::{
    Joining, MultiplexedCall, MultiplexedConnection, MultiplexedConnections,
    NewMultiplexedConnection, NotJoined,
};
use super::super::wait_queue::Waiter;
use super::admission::{Admission, wait_for_admission};
use super::{EndpointCache, NoConnection, Wanted};

impl EndpointCache {
    /// Makes a call share a connection: one that no call uses, a new one, or the least busy if the limit is
    /// reached. A caller in an upcall shares none that others use, and otherwise gets a new one in excess of the
    /// limit: its call may be nested in theirs, and the server may have no other thread for the connection. So does a
    /// waker on a thread that receives, where it would wait for another thread.
    pub(in crate::client) fn share(
        &self,
        multiplexed: &MultiplexedConnections,
        wanted: Wanted<'_>,
        mut joining: Joining,
    ) -> Result<MultiplexedCall, NoConnection> {
        let mut is_led = false;
        loop {
            let connection = match multiplexed.least_busy() {
                Some((least, _)) if least.load() == 0 && !is_led => least,
                Some((least, open)) if open >= self.max_open && !joining.in_upcall => least,
                _ => self.share_another(multiplexed, wanted, &joining)?,
            };
            match connection.join(&joining) {
                Ok(call) => return Ok(call),
                Err(NotJoined::InUse) => {}
                Err(NotJoined::Led) => (joining.in_upcall, is_led) = (true, true),
                Err(NotJoined::TooManyPending) => return Err(NoConnection::TooManyPending),
                Err(NotJoined::Busy) => return Err(NoConnection::Busy),
                Err(NotJoined::Ended) => self.remove_ended(),
            }
        }
    }

    /// Opens a connection; if the limit has been reached meanwhile, returns the least busy, except to a caller in
    /// an upcall.
    #[cold]
    fn share_another(
        &self,
        multiplexed: &MultiplexedConnections,
        wanted: Wanted<'_>,
        joining: &Joining,
    ) -> Result<Arc<MultiplexedConnection>, NoConnection> {
        let mut waiter = Waiter::new(joining.limits);
        let mut state = self.state();
        state.open -= multiplexed.remove_ended();
        let found = loop {
            if state.closed {
                break Err(NoConnection::Closed);
            }
            let admission = self.admission(&mut state, &waiter, wanted, joining.in_upcall);
            if matches!(admission, Ok(Admission::Now)) {
                state.open += 1;
                break Ok(None);
            }
            if !joining.in_upcall
                && let Some((least, _)) = multiplexed.least_busy()
            {
                break Ok(Some(least));
            }
            // Other threads are opening the maximum number, or the endpoint could not be reached.
            let back_off = match admission {
                Ok(Admission::BackOff(left)) => Some(left),
                Ok(_) => None,
                Err(reason) => break Err(reason),
            };
            // Connections that are being opened have room for the calls of other threads.
            let room = state.open.saturating_mul(multiplexed.max_calls - 1);
            let waits = waiter.join_before_room(&mut state.waiting, room);
            if !waits || (back_off.is_none() && waiter.is_late()) {
                break Err(NoConnection::Busy);
            }
            state = wait_for_admission(state, &waiter, back_off, wanted);
        };
        waiter.leave(&mut state.waiting);
        if let Some(other) = found? {
            return Ok(other);
        }
        let beyond_limit = state.open > self.max_open;
        drop(state);
        let (stream, counted) = self.connect(wanted).inspect_err(|_| self.lost_one())?;
        let connection = Arc::new(MultiplexedConnection::new(NewMultiplexedConnection {
            watched: self.watch(&*stream),
            stream,
            messaging: self.protocol.messaging(),
            receiving: &self.receiving,
            copy_threshold: self.settings.copy_threshold,
            max_calls: multiplexed.max_calls,
            beyond_limit,
            is_for_pending: false,
            counted,
        }));
        let state = self.state();
        let closed = state.closed;
        let waiting = (!closed).then(|| {
            multiplexed.add(&connection);
            state.waiting.all_callers()
        });
        drop(state);
        if let Some(waiting) = waiting {
            waiting.wake();
        }
        if closed {
            connection.close();
        }
        Ok(connection)
    }

    /// Discards a connection after a failed call.
    #[cold]
    pub(in crate::client) fn discard(&self, connection: &mut impl Connection, end: ConnectionEnd) {
        connection.discard(end);
        self.for_caller().0.remove_ended();
    }

    /// Removes the multiplexed connections that have ended.
    #[cold]
    fn remove_ended(&self) {
        let Some(multiplexed) = &self.multiplexed else { return };
        let mut state = self.state();
        state.open -= multiplexed.remove_ended();
        let next = state.waiting.next_caller();
        drop(state);
        next.wake();
    }
}
