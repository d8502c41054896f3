//! Connecting to the endpoint, and counting the connections.

use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_base::connection_count::{ConnectionCount, Counted};
use zorb_base::steady_events::{Event, record};
use zorb_base::upcall_thread::{about_to_block, in_upcall};
use zorb_giop::ClientSession;
use zorb_os::process;
use zorb_transport::{ConnectError, ConnectOptions, ConnectPhase, Stream};

use super::super::connection::Counts;
use super::super::exclusive::{ExclusiveConnection, NewConnection};
use super::super::fragmenting::in_fragments;
use super::{EndpointCache, NoConnection, Wanted};

impl EndpointCache {
    /// Opens a connection, which the caller has counted, and no longer counts if this fails.
    pub(super) fn open(
        &self,
        wanted: Wanted<'_>,
    ) -> Result<Box<ExclusiveConnection>, NoConnection> {
        let (stream, counted) = self.connect(wanted)?;
        let messaging = self.protocol.messaging();
        let session = match self.protocol.carries_replies() {
            true => ClientSession::with_messaging(messaging, false),
            false => ClientSession::connectionless(),
        };
        let mut connection = Box::new(ExclusiveConnection::new(NewConnection {
            stream,
            session,
            messaging,
            receiving: &self.receiving,
            copy_threshold: self.settings.copy_threshold,
            counted,
        }));
        connection.outgoing.octets_mut().reserve(self.settings.preallocate);
        Ok(connection)
    }

    /// Connects; the caller has counted the connection as open, and no longer counts it if this fails.
    pub(super) fn connect(
        &self,
        wanted: Wanted<'_>,
    ) -> Result<(Arc<dyn Stream>, Counts), NoConnection> {
        about_to_block();
        let withdraw = |_: &_| self.state().reconnecting.withdraw(Instant::now());
        let counted = self.count_in_process(wanted).inspect_err(withdraw)?;
        let timeout = wanted.time_left().max(Duration::from_millis(1));
        let mut options = ConnectOptions::with_timeout(Some(timeout));
        options.stream = self.settings.stream.clone();
        record(Event::Connected);
        if let Some(others) = self.others.upgrade() {
            others.before_connecting(self.settings.idle_limit);
        }
        let tried = Instant::now();
        let connect = || self.connect_stream(&options);
        let connected = connect().or_else(|error| match self.others.upgrade() {
            Some(others) if is_out_of_descriptors(&error) => {
                others.close_all();
                connect()
            }
            _ => Err(error),
        });
        let timed_out = connected.as_ref().is_err_and(ConnectError::is_timed_out);
        wanted.connect_time.spend(if timed_out { timeout } else { tried.elapsed() });
        match connected {
            Ok(stream) => {
                self.connected();
                tracing::debug!(endpoint = %self.endpoint, "connected");
                let stream = match self.settings.fragment_size {
                    // Without replies, each message is a datagram.
                    Some(most) if self.protocol.carries_replies() => in_fragments(stream, most),
                    _ => stream,
                };
                Ok((stream, counted))
            }
            Err(error) => {
                self.state().reconnecting.failed(tried, Instant::now(), self.settings.reconnect);
                Err(NoConnection::Unreachable(error))
            }
        }
    }

    /// A stream to the endpoint: usually over a new connection.
    fn connect_stream(&self, options: &ConnectOptions) -> Result<Arc<dyn Stream>, ConnectError> {
        let bidirection = self.settings.bidirection.as_ref();
        if let Some(stream) = bidirection.and_then(|known| known.client_at(&self.endpoint)) {
            return Ok(stream);
        }
        let stream = self.protocol.transport().connect(&self.endpoint, options)?;
        let stream = match &self.settings.compression {
            None => stream,
            Some(compression) => {
                let share = self.receiving.share(&*stream);
                compression.opened(stream, share)
            }
        };
        match bidirection.filter(|_| self.settings.offers) {
            None => Ok(stream),
            Some(bidirection) => bidirection
                .opened(stream)
                .map_err(|error| ConnectError::single(&self.endpoint, ConnectPhase::Setup, error)),
        }
    }

    /// Counts a connection among those of the process, and one of an upcall also among those of all upcalls. That may take
    /// all the time to connect.
    pub(super) fn count_in_process(&self, wanted: Wanted<'_>) -> Result<Counts, NoConnection> {
        let of_upcalls = match in_upcall() {
            true => Some(self.count_of_upcall()?),
            false => None,
        };
        let had_time = !wanted.time_left().is_zero();
        let of_clients = match self.others.upgrade() {
            Some(others) => others.make_room(self.settings.max_of_process, wanted),
            None => Some(ConnectionCount::of_clients().enter()),
        };
        let of_clients = of_clients.ok_or(NoConnection::Busy)?;
        if had_time && wanted.time_left().is_zero() {
            return Err(NoConnection::Busy);
        }
        Ok(Counts { of_clients, of_upcalls })
    }

    #[cold]
    pub(super) fn count_of_upcall(&self) -> Result<Counted, NoConnection> {
        let counted = match self.others.upgrade() {
            Some(others) => others.make_room_of_upcall(),
            None => ConnectionCount::of_upcalls().enter_below(0),
        };
        counted.ok_or(NoConnection::TooManyOfUpcalls)
    }

    /// Counts a connection as closed.
    pub(in crate::client) fn lost_one(&self) {
        let mut state = self.state();
        state.open -= 1;
        let next = state.waiting.next_caller();
        self.stop_recalling(&mut state);
        drop(state);
        next.wake();
    }

    /// Counts a connection of a queue of one-way calls as closed.
    pub(in crate::client) fn lost_separate(&self) {
        let mut state = self.state();
        state.separate -= 1;
        let next = state.waiting.next_caller();
        drop(state);
        // After a failure, the next may try.
        next.wake();
    }
}

/// Whether connecting failed because descriptors ran short.
#[cold]
pub(in crate::client) fn is_out_of_descriptors(error: &ConnectError) -> bool {
    let mut errors = error.attempts().iter().map(|attempt| &attempt.error);
    errors.any(process::is_out_of_descriptors)
}

/// Whether it failed because the system is out of descriptors.
#[cold]
pub(in crate::client) fn is_system_out_of_descriptors(error: &ConnectError) -> bool {
    let mut errors = error.attempts().iter().map(|attempt| &attempt.error);
    errors.any(process::is_system_out_of_descriptors)
}
