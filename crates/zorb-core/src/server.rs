//! The serving side: listening, reading requests, making upcalls, writing replies.
//!
//! The thread that reads a request makes its upcall and writes its reply. When an upcall blocks,
//! another thread takes over reading from the connection; see [`connection`].

mod call;
mod caller;
mod connection;
mod crew;
mod in_lane;
mod listener;
mod request;
mod role;
mod sending;
mod sentinel;
mod threads;

pub use call::ServerCall;
pub use caller::Caller;
pub(crate) use connection::{Kept, ServerConnection};
pub(crate) use crew::{
    SaysHow, about_to_block, buffers_of_upcall, in_upcall, in_upcall_of, served_by, set_up_served,
};
pub(crate) use in_lane::Job;
pub(crate) use listener::{Listener, serve_alone};
pub(crate) use request::{Answer, InParts, answer_request, panicked};
pub(crate) use sentinel::Sentinel;
pub(crate) use threads::{Running, ThreadCount};
