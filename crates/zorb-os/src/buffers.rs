//! Buffers in shared memory that one process fills and another reads in place, without a copy.
//!
//! Each direction has its own memory, divided into buffers. The sender takes a free buffer, fills
//! it and names a part of it to the receiver over another channel, for example a ring. The receiver
//! reads the part in place and returns the buffer by incrementing a counter. Neither side waits for
//! the other, and there are no locks.
//!
//! # Trust
//! A slice guarantees that its contents do not change, but another process could change them.
//! Slices are therefore only available for memory shared with a process of the same user
//! ([`SameUser`]), which has full control of this process anyway. Octets written by a process of
//! another user are copied by [`ReceiveBuffers::read`], octet by octet like in
//! [`SharedMemory`](crate::memory::SharedMemory).

pub use crate::socket::SameUser;
pub use crate::sys::buffers::{
    BufferLayout, MAX_BUFFER_SIZE, MAX_BUFFERS, Piece, ReceiveBuffers, ReceivedBuffer, SendBuffer,
    SendBuffers,
};
