//! The ORB itself: object references, invocation, object adapters, dispatch.
//!
//! Programs use it through the facade crate `zorb`. A call takes this way through the rooms:
//! a stub calls [`ObjectRef::invoke`], which lends a connection, writes the request, and reads the
//! reply on the same thread (`client`); at the other end a connection's thread reads the request,
//! finds the servant by the object key ([`poa`]), makes the upcall and writes the reply
//! (`server`).
//!
//! The core names no protocol: the facade registers IIOP, users register theirs.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod buffers;
mod calling_lane;
mod client;
#[doc(hidden)]
pub mod codegen;
mod collocation;
mod context;
mod corbaname;
pub mod counters;
mod error;
mod extensions;
pub mod flow;
mod gather;
pub mod interceptor;
mod interface;
pub mod lanes;
mod loan;
mod loaned;
mod local_endpoints;
mod native;
mod object;
mod object_adapter;
mod object_id;
pub mod options;
mod orb;
mod orb_core;
pub mod poa;
pub mod policy;
mod protocol_choice;
mod raises;
mod servant;
mod serving;
mod steady_events;
mod threads;
mod upcall_thread;
pub mod value;

pub use client::OnewayQueue;
pub use collocation::CollocationStrategy;
pub use context::Context;
pub use error::{Error, ErrorContext, Phase, Result};
pub use interface::{Interface, OBJECT_ID, Ref};
pub use loan::Loan;
pub use loaned::LoanedOctets;
pub use native::Native;
pub use object::{KeptReply, ObjectRef, RawReply};
pub use object_adapter::{ServantObject, Served, ServerCall};
pub use orb::{Orb, OrbBuilder, PolicyCurrent, PolicyManager, WeakOrb};
pub use policy::BufferStrategy;
pub use raises::{AnyError, Raises, UserException};
pub use servant::ServedBy;
pub use serving::Caller;
pub use value::{
    Abstract, AbstractOperations, CustomMarshal, Value, ValueBase, ValueOperations, WithOperations,
};
