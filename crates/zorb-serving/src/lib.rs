//! The serving side: accepting connections, receiving requests, making upcalls, sending replies.
//!
//! Every connection belongs to a lane: the threads, endpoints and connections that serve requests
//! of one priority. An ORB has one lane of its own; a [`Pool`] is a set of lanes more, and an object
//! adapter whose policies name one ([`ThreadpoolPolicy`](zorb_base::policy::ThreadpoolPolicy)) is served by
//! its threads alone: its references have the endpoints of the pool's lanes, and none of the ORB's own.
//! RT-CORBA's thread pools (crate `zorb-rt`) are made of it; here priorities are numbers that references
//! carry, and [`LaneThreads`] says what they mean to threads.
//!
//! How the threads of a lane share its work is its strategy:
//!
//! ```text
//! connection -> its thread: receive, upcall, reply                            thread per connection
//! connections -> reactor -> thread: receive, upcall, reply                 leader/followers
//! connections -> reactor -> thread: receive -> queue -> thread: upcall, reply       half-sync
//! ```
//!
//! A request is served in two plain calls, [`find_target`](zorb_poa::find_target) once its header has been
//! read and [`dispatch`](zorb_poa::dispatch). Between them the thread leaves the connection's input to
//! others, or gives the request to a POA manager that holds it.
//!
//! In steady state pools can be frozen (`Orb::freeze_pools`): from then on each lane counts what its
//! threads do that takes time which nobody has bounded.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod connection;
mod context;
mod event_handler;
mod events;
mod freezing;
mod idle;
mod input;
mod lane;
mod listener;
mod message;
mod output;
mod own_threads;
mod pool;
mod progress;
mod properties;
mod queued;
mod reactor;
mod receive;
mod scratch;
mod server_core;
mod settings;
mod strategy;
#[cfg(test)]
mod tests;
mod watchdog;

pub use lane::steady_state::{LaneViolations, ViolationReport};
pub use listener::Listener;
pub use pool::PoolUse;
pub use pool::{Pool, WeakPool};
pub use server_core::ServerCore;
pub use settings::{
    Buffering, DynamicLifespan, LaneCounts, LaneSettings, LaneThreads, PoolSettings, Strategy,
};
