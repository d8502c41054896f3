//! The ORB: connects object adapter, invocation and serving, and defines the macros of generated code.
//!
//! Programs use it through the facade crate `zorb`. References and their calls are in
//! [`zorb_invocation`], object adapters in [`zorb_poa`], listeners and lanes in [`zorb_serving`], and what
//! they share in [`zorb_base`].
//!
//! The ORB depends on no protocol: the facade registers IIOP and others, and programs register their own.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod adapter_activator;
#[doc(hidden)]
pub mod codegen;
mod context;
mod corbaname;
mod deferred;
pub mod lanes;
pub mod messaging;
mod native;
mod orb;
pub mod poa;
mod servant;
mod servant_manager;
mod upcall;

pub use context::Context;
pub use native::Native;
pub use orb::{
    Health, InvalidName, Orb, OrbBuilder, OrbMetrics, PiCurrent, PolicyCurrent, PolicyManager,
    ServiceDetail, ServiceDetailType, ServiceInformation, ServiceOption, ServiceType, WeakOrb,
};
pub use servant::ServedBy;
pub use zorb_base::caller::Caller;
#[doc(hidden)]
pub use zorb_base::compression;
pub use zorb_base::error::{Error, ErrorContext, Phase, Result};
pub use zorb_base::options::{CharCodeSet, CollocationStrategy, ListenFrom, SendEndTimes};
pub use zorb_base::policy::BufferStrategy;
pub use zorb_base::raises::{AnyError, AnyUserException, Raises, UserException};
pub use zorb_base::{counters, interceptor, options, policy};
pub use zorb_cdr::{SequenceView, WideStringView};
pub use zorb_invocation::client::OnewayQueue;
pub use zorb_invocation::client::{NumberedResult, Pending, PollableSet, ReadResults};
pub use zorb_invocation::client::{OwnedReply, RawReply};
pub use zorb_invocation::interface::{Interface, OBJECT_ID, Ref};
pub use zorb_invocation::loan::Loan;
pub use zorb_invocation::loaned::LoanedOctets;
pub use zorb_invocation::object::ObjectRef;
pub use zorb_invocation::value::{
    Abstract, AbstractOperations, CustomMarshal, Value, ValueBase, ValueOperations, WithOperations,
};
pub use zorb_invocation::{flow, value};
pub use zorb_poa::{ServantObject, Served, ServerCall};
