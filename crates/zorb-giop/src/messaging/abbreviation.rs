//! Shorter requests: a request that refers to earlier ones of its connection.

use core::fmt;

/// How a request refers to its object and operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Abbreviation {
    /// By object key and operation name.
    InFull,
    /// By object key and operation name, and defines an index for later requests.
    Introduce(u8),
    /// By the index that an earlier request has defined.
    Index(u8),
}

/// The client's state of a connection: the indexes that it has defined.
///
/// Requests arrive in the order in which they are sent, so the server knows every index that the client
/// has sent.
pub trait ClientMessagingState: Send + fmt::Debug {
    /// Chooses how the next request refers to its object and operation.
    ///
    /// `is_next` is whether the request is the next one on the wire. If it is not, and the answer is
    /// `Introduce`, the caller has to wait until it is and call again. An index is defined only if
    /// [`sent`](Self::sent) is called before the next call with `is_next`.
    fn abbreviate(&mut self, key: &[u8], operation: &str, is_next: bool) -> Abbreviation;

    /// Reports that the request of the last call of [`abbreviate`](Self::abbreviate) with `is_next` was passed to
    /// the transport.
    fn sent(&mut self);

    /// Reports that the server did not know an index: from now on every request is in full.
    fn disable(&mut self);
}
