//! What the streams that share a connection are for.

/// What a stream is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The requests of the peer. On the side that opened the connection, the stream of its server may end and begin
    /// again.
    Server(u32),
    /// Requests to the peer.
    Client(u32),
}
