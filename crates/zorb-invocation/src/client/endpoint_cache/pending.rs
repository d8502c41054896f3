//! The connection for requests of pending calls, where other calls use exclusive connections.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::super::multiplexed::{
    Joining, MultiplexedCall, MultiplexedConnection, NewMultiplexedConnection, NotJoined,
};
use super::super::wait_queue::Waiter;
use super::admission::{Admission, wait_for_admission};
use super::{CacheState, EndpointCache, NoConnection, Wanted};

impl EndpointCache {
    /// A connection for a request whose caller does not wait: a multiplexed one if the cache has those, otherwise the
    /// one for such requests. Fewer than `most` wait for their replies on it.
    pub(in crate::client) fn pending_connection(
        &self,
        wanted: Wanted<'_>,
        most: usize,
    ) -> Result<MultiplexedCall, NoConnection> {
        let (cache, _) = self.for_caller();
        let joining = Joining::of_caller(cache.wait_limits(wanted), Some(most));
        match &cache.multiplexed {
            Some(multiplexed) => cache.share(multiplexed, wanted, joining),
            // It shares the connection only with others that do not wait.
            None => cache.share_pending(wanted, &Joining { in_upcall: false, ..joining }),
        }
    }

    /// The connection for such requests, if it is open.
    #[inline]
    pub(in crate::client) fn open_pending_connection(&self) -> Option<Arc<MultiplexedConnection>> {
        let (cache, _) = self.for_caller();
        if cache.multiplexed.is_some() {
            return None;
        }
        cache.pending.get()
    }

    fn share_pending(
        &self,
        wanted: Wanted<'_>,
        joining: &Joining,
    ) -> Result<MultiplexedCall, NoConnection> {
        loop {
            let known = self.pending.get();
            let connection = match known {
                Some(connection) => connection,
                None => self.open_pending(wanted)?,
            };
            match connection.join(joining) {
                Ok(call) => return Ok(call),
                Err(NotJoined::TooManyPending) => return Err(NoConnection::TooManyPending),
                Err(NotJoined::Busy | NotJoined::InUse | NotJoined::Led) => {
                    return Err(NoConnection::Busy);
                }
                Err(NotJoined::Ended) => self.pending.forget(&connection),
            }
        }
    }

    /// Opens the connection for such requests. Of several callers, one opens it and the others wait.
    #[cold]
    fn open_pending(&self, wanted: Wanted<'_>) -> Result<Arc<MultiplexedConnection>, NoConnection> {
        if let Some(known) = self.begin_pending(wanted)? {
            return Ok(known);
        }
        let opening = Opening(Some(self));
        let (stream, counted) = self.connect(wanted)?;
        // Some streams call at once if the peer has hung up, which needs the state.
        let watched = self.watch(&*stream);
        let mut state = self.state();
        opening.end(&mut state);
        let connection = Arc::new(MultiplexedConnection::new(NewMultiplexedConnection {
            watched,
            stream,
            messaging: self.protocol.messaging(),
            receiving: &self.receiving,
            copy_threshold: self.settings.copy_threshold,
            max_calls: usize::MAX,
            beyond_limit: false,
            is_for_pending: true,
            counted,
        }));
        let closed = state.closed;
        if !closed {
            self.pending.set(&connection);
        }
        drop(state);
        if closed {
            connection.close();
            return Err(NoConnection::Closed);
        }
        Ok(connection)
    }

    /// Waits until the caller may open the connection, and counts it; or until there is one, which it returns.
    fn begin_pending(
        &self,
        wanted: Wanted<'_>,
    ) -> Result<Option<Arc<MultiplexedConnection>>, NoConnection> {
        let mut waiter = Waiter::new(self.wait_limits(wanted));
        let mut state = self.state();
        let begun = loop {
            if state.closed {
                break Err(NoConnection::Closed);
            }
            if let Some(known) = self.pending.get() {
                break Ok(Some(known));
            }
            let back_off = match state.opens_pending {
                true => None,
                false => match self.admission(&mut state, &waiter, wanted, true) {
                    Ok(Admission::BackOff(left)) => Some(left),
                    Ok(_) => {
                        state.opens_pending = true;
                        state.separate += 1;
                        break Ok(None);
                    }
                    Err(reason) => break Err(reason),
                },
            };
            let waits = waiter.join(&mut state.waiting);
            if !waits || (back_off.is_none() && waiter.is_late()) {
                break Err(NoConnection::Busy);
            }
            state = wait_for_admission(state, &waiter, back_off, wanted);
        };
        waiter.leave(&mut state.waiting);
        begun
    }
}

/// The opening of the connection. It ends when this is dropped, also if connecting panics.
struct Opening<'c>(Option<&'c EndpointCache>);

impl Opening<'_> {
    /// Ends it in the state of the cache. Those who wait go on.
    fn end(mut self, state: &mut CacheState) {
        self.0 = None;
        state.end_opening_pending();
    }
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        if let Some(cache) = self.0 {
            cache.state().end_opening_pending();
        }
    }
}

impl CacheState {
    fn end_opening_pending(&mut self) {
        self.opens_pending = false;
        self.separate -= 1;
        self.waiting.wake_all();
    }
}
