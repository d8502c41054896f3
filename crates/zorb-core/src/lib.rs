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
mod client;
#[doc(hidden)]
pub mod codegen;
mod collocation;
mod context;
mod corbaname;
pub mod counters;
mod error;
pub mod flow;
mod gather;
pub mod interceptor;
mod interface;
pub mod lanes;
mod loan;
mod loaned;
mod native;
mod object;
mod object_id;
pub mod options;
mod orb;
pub mod poa;
pub mod policy;
mod raises;
mod rare;
mod servant;
mod serving;
pub mod value;

pub use client::OnewayQueue;
pub use collocation::CollocationStrategy;
pub use context::Context;
pub use error::{Error, ErrorContext, Phase, Result};
pub use interface::{Interface, OBJECT_ID, Ref};
pub use loan::{BufferStrategy, Loan};
pub use loaned::LoanedOctets;
pub use native::Native;
pub use object::{KeptReply, ObjectRef, RawReply};
pub use orb::{Orb, OrbBuilder, PolicyCurrent, PolicyManager, WeakOrb};
pub use raises::{AnyError, Raises, UserException};
pub use servant::{Face, Served, ServedBy};
pub use serving::{Caller, ServerCall};
pub use value::{
    Abstract, AbstractOperations, CustomMarshal, Value, ValueBase, ValueOperations, WithOperations,
};
