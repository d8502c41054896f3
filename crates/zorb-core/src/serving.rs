//! The serving side: accepting connections, receiving requests, making upcalls, sending replies.
//!
//! Every connection belongs to a [lane](lane): the threads, endpoints and connections that serve requests
//! of one priority. An ORB has one lane of its own; a [`Pool`] is a set of lanes more, and an object
//! adapter whose policies name one ([`ThreadpoolPolicy`](crate::policy::ThreadpoolPolicy)) is served by
//! its threads alone: its references have the endpoints of the pool's lanes, and none of the ORB's own.
//! RT-CORBA's thread pools (crate `zorb-rt`) are made of it; here priorities are numbers that references
//! carry, and [`LaneThreads`] says what they mean to threads.
//!
//! How the threads of a lane share its work is its [strategy](strategy):
//!
//! ```text
//! connection -> its thread: receive, upcall, reply                            thread per connection
//! connections -> event loop -> thread: receive, upcall, reply                 leader/followers
//! connections -> event loop -> thread: receive -> queue -> thread: upcall, reply       half-sync
//! ```
//!
//! A request is served in two plain calls, [`find_target`](request::find_target) once its header has been
//! read and [`dispatch`](request::dispatch). Between them the thread leaves the connection's input to
//! others, or gives the request to a POA manager that holds it.
//!
//! In steady state pools can be [frozen](crate::Orb::freeze_pools): from then on each lane counts what its
//! threads do that takes time which nobody has bounded.

mod call;
mod caller;
mod connection;
mod connection_setup;
mod current;
mod event_loop;
mod idle;
mod input;
mod lane;
mod listener;
mod output;
mod own_threads;
mod pool;
mod properties;
mod queued;
mod reactor;
mod receive;
mod request;
mod settings;
mod strategy;
#[cfg(test)]
mod tests;
mod threads;
mod watchdog;

pub use call::ServerCall;
pub(crate) use call::{ReplySink, ReplyTo};
pub use caller::Caller;
pub(crate) use connection_setup::ConnectionSetup;
pub(crate) use current::{about_to_block, buffers_of_upcall, in_upcall, in_upcall_of};
pub(crate) use lane::Lane;
pub(crate) use lane::steady_state::Freezing;
pub use lane::steady_state::{LaneViolations, ViolationReport};
pub(crate) use listener::Listener;
pub use pool::{Pool, WeakPool};
pub(crate) use pool::{PoolCore, PoolUse, default_lane};
pub(crate) use request::{Answer, InParts, answer_absent, dispatch, find_target, panicked};
pub use settings::{
    Buffering, DynamicLifespan, LaneCounts, LaneSettings, LaneThreads, PoolSettings, Strategy,
};
pub(crate) use threads::{Running, ThreadCount};
pub(crate) use watchdog::Watchdog;
