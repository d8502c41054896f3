//! Requests whose answers nobody waits for any more.

/// How many cancelled requests a connection remembers; the oldest is forgotten, which only means
/// that it is answered.
pub const MAX_CANCELLED: usize = 16;

/// The requests of a connection that its client has cancelled.
///
/// It is apart from the rest of what the answering side remembers because it is looked at by whoever
/// sends a reply, and the rest by whoever reads requests.
#[derive(Clone, Debug)]
pub struct CancelledRequests {
    /// A ring of ids.
    ids: [Option<u32>; MAX_CANCELLED],
    next: usize,
}

impl CancelledRequests {
    /// Of a connection just accepted: none.
    pub const fn new() -> Self {
        Self { ids: [None; MAX_CANCELLED], next: 0 }
    }

    /// Takes note of a CancelRequest.
    pub fn cancel(&mut self, request_id: u32) {
        if self.contains(request_id) {
            return;
        }
        if let Some(slot) = self.ids.get_mut(self.next) {
            *slot = Some(request_id);
        }
        self.next = (self.next + 1) % MAX_CANCELLED;
    }

    /// Whether the client no longer waits for the answer to this request: it need not be sent.
    #[inline]
    pub fn contains(&self, request_id: u32) -> bool {
        self.ids.contains(&Some(request_id))
    }

    /// Takes note of a new request: a client may use an id again, and a cancel that came before it
    /// was not meant for it.
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
