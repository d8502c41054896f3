//! Request interceptors: code that runs at defined points of requests, in the client and in the server
//! (CORBA 3.3 part 1, chapter 16). Zorb implements RT-CORBA's priorities, deadlines and distributable threads
//! with them.
//!
//! An ORB has a list of factories, which `Orb::add_client_request_interceptor` and
//! `Orb::add_server_request_interceptor` extend. A factory is called with the policies of a reference or
//! an object adapter and returns the interceptor of its requests, if it has one. Requests without
//! interceptors cost nothing.

mod client;
mod context;
mod end_times;
mod outcome;
mod registry;
mod server;
mod slot;
mod slots;

pub use client::{ClientRequestInfo, ClientRequestInterceptor, EndTimes};
pub use outcome::RequestOutcome;
pub use server::{ServerRequestInfo, ServerRequestInterceptor};
pub use slot::{UpcallSlot, with_slot};
pub use slots::{InvalidSlot, SlotId};

#[doc(hidden)]
pub use client::ClientRequest;
#[doc(hidden)]
pub use context::AddedContexts;
#[doc(hidden)]
pub use end_times::{checking_end_times, end_of_nested_calls, reply_end_time, sending_end_times};
pub(crate) use registry::Interceptors;
#[doc(hidden)]
pub use server::{InterceptedRequest, end_request, invalid_call};
#[doc(hidden)]
pub use slots::{SlotTable, copied_thread_slots, serve_with, thread_slots};
