//! Buffers in shared memory that one process fills and another reads where they lie, so that nobody
//! copies what is in them.
//!
//! Each direction has memory of its own, cut into buffers. The sender takes a free one, fills it and
//! tells the receiver which part of which is meant, by whatever way they have (a ring, a socket). The
//! receiver reads it in place and gives it back by counting a word up. Neither waits for the other, and
//! there is no lock.
//!
//! # Trust
//! A slice promises that what it shows does not change, and here another process could change it. So
//! slices are only had of memory shared with a process of the same user ([`SameUser`]), which could do
//! to this one whatever it likes anyway. What a process of another user wrote is copied out, octet by
//! octet as [`SharedMemory`](crate::memory::SharedMemory) does it, by [`ReceiveBuffers::read`].

pub use crate::socket::SameUser;
pub use crate::sys::buffers::{
    MAX_BUFFER_SIZE, MAX_BUFFERS, Piece, ReceiveBuffers, ReceivedBuffer, SendBuffer, SendBuffers,
    Shape,
};
