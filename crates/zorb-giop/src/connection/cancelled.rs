//! Cancelled requests.

/// The maximum number of cancelled requests that a connection records. The oldest one is dropped, and its
/// reply is sent.
pub const MAX_CANCELLED: usize = 16;

/// The requests of a connection that its client has cancelled.
///
/// It is separate from [`ServerConnection`](super::ServerConnection), as the threads that send replies
/// read it, and the thread that reads requests has the rest.
#[derive(Clone, Debug)]
pub struct CancelledRequests {
    /// A ring buffer of ids.
    ids: [Option<u32>; MAX_CANCELLED],
    next: usize,
}

impl CancelledRequests {
    /// No requests, for a new connection.
    pub const fn new() -> Self {
        Self { ids: [None; MAX_CANCELLED], next: 0 }
    }

    /// Records a CancelRequest.
    pub fn cancel(&mut self, request_id: u32) {
        if self.contains(request_id) {
            return;
        }
        if let Some(slot) = self.ids.get_mut(self.next) {
            *slot = Some(request_id);
        }
        self.next = (self.next + 1) % MAX_CANCELLED;
    }

    /// Whether the client has cancelled this request, so that its reply need not be sent.
    #[inline]
    pub fn contains(&self, request_id: u32) -> bool {
        self.ids.contains(&Some(request_id))
    }

    /// Forgets a cancelled request with the id of this new one: a client may use an id again.
    pub fn begin_request(&mut self, request_id: u32) {
        for slot in &mut self.ids {
            if *slot == Some(request_id) {
                *slot = None;
            }
        }
    }
}

impl Default for CancelledRequests {
    fn default() -> Self {
        Self::new()
    }
}
