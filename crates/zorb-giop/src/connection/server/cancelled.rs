//! Cancelled requests.

use super::{Cancellation, ServedRequest};

/// The maximum number of cancelled requests that a connection records. The oldest one is dropped, and its
/// reply is sent.
pub const MAX_CANCELLED: usize = 16;

/// The requests of a connection that its client has cancelled. Threads that send replies use it under the
/// lock with which they send.
#[derive(Clone, Debug)]
pub struct CancelledRequests {
    /// A ring buffer.
    records: [Option<Cancellation>; MAX_CANCELLED],
    next: usize,
    is_empty: bool,
}

impl CancelledRequests {
    /// No requests, for a new connection.
    pub const fn new() -> Self {
        Self { records: [None; MAX_CANCELLED], next: 0, is_empty: true }
    }

    /// Records a CancelRequest.
    pub fn cancel(&mut self, cancellation: Cancellation) {
        let same = |record: &&mut Option<Cancellation>| {
            record.is_some_and(|record| record.request_id == cancellation.request_id)
        };
        if let Some(record) = self.records.iter_mut().find(same) {
            *record = Some(cancellation);
            return;
        }
        if let Some(record) = self.records.get_mut(self.next) {
            *record = Some(cancellation);
        }
        self.next = (self.next + 1) % MAX_CANCELLED;
        self.is_empty = false;
    }

    /// Whether the client has cancelled this request, so that its reply need not be sent. A later request
    /// with the same id is another one.
    #[inline]
    pub fn contains(&self, request: ServedRequest) -> bool {
        !self.is_empty && self.has_record_of(request)
    }

    #[cold]
    fn has_record_of(&self, request: ServedRequest) -> bool {
        self.records.iter().flatten().any(|record| record.covers(request))
    }
}

impl Default for CancelledRequests {
    fn default() -> Self {
        Self::new()
    }
}
