//! Request ids.

/// Allocates the request ids of one side of a connection.
///
/// The side that opened the connection uses even ids and the other odd ones, as bidirectional
/// GIOP requires (CORBA 3.3 part 2, 9.8). Requests and LocateRequests share the ids.
#[derive(Clone, Debug)]
pub struct RequestIds {
    /// The low half is the next id. It is wider than an id so that wrapping around shows.
    next: u64,
}

impl RequestIds {
    /// The ids of the side that opened the connection.
    pub const fn initiator() -> Self {
        Self { next: 0 }
    }

    /// The ids of the side that accepted the connection.
    pub const fn acceptor() -> Self {
        Self { next: 1 }
    }

    /// The next id. Ids wrap around after 2³¹ of them.
    #[inline]
    pub fn allocate(&mut self) -> u32 {
        let id = self.next as u32;
        self.next += 2;
        id
    }

    /// The next id that no outstanding request has; `None` only when all are taken.
    pub fn allocate_free(&mut self, mut is_outstanding: impl FnMut(u32) -> bool) -> Option<u32> {
        (0..=u32::MAX / 2).map(|_| self.allocate()).find(|&id| !is_outstanding(id))
    }

    /// Whether this id has been allocated before.
    pub fn has_issued(&self, id: u32) -> bool {
        u64::from(id) < self.next && u64::from(id) % 2 == self.next % 2
    }
}
