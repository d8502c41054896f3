//! The serving side: accepting connections, receiving requests, making upcalls, sending replies.
//!
//! Every connection belongs to a lane: the threads, endpoints and connections for requests of one priority.
//! An ORB has a default lane; a [`Pool`] is a set of further lanes. An object adapter whose policies name a
//! pool ([`ThreadpoolPolicy`](zorb_base::policy::ThreadpoolPolicy)) is served only by its threads, and its
//! references contain only the endpoints of its lanes. RT-CORBA's thread pools (crate `zorb-rt`) are built on
//! pools; here priorities are numbers that references carry, and [`LaneThreads`] applies them to threads.
//!
//! The strategy of a lane determines how its threads share the work:
//!
//! ```text
//! connection -> its thread: receive, upcall, reply                            thread per connection
//! connections -> reactor -> thread: receive, upcall, reply                    leader/followers
//! connections -> reactor -> the only thread: receive, upcall, reply           single thread
//! connections -> reactor -> thread: receive -> queue -> thread: upcall, reply       half-sync
//! ```
//!
//! [`serve`](zorb_poa::serve) serves every request. Before its upcall the thread leaves the connection's input
//! to others; a request that has to wait is put into a queue.
//!
//! In steady state pools can be frozen (`Orb::freeze_pools`): each lane then counts the actions of its
//! threads that have no bounded time.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

// `#[inline]`: see the root of `zorb-base`, which says what the attributes of the crates on the path of calls save.

mod awaited;
mod bidirectional_admission;
mod connection;
mod connection_use;
mod context;
mod deferred;
mod descriptors;
mod detach;
mod event_handler;
mod events;
mod freezing;
mod held;
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
mod upcall_count;
mod watchdog;

pub use lane::steady_state::{LaneViolations, ViolationReport};
pub use lane::unread::UnreadLimits;
pub use listener::Listener;
pub use pool::PoolUse;
pub use pool::{Pool, WeakPool};
pub use progress::{LaneMetrics, LaneProgress};
pub use server_core::ServerCore;
pub use settings::{
    Buffering, DynamicLifespan, LaneCounts, LaneSettings, LaneThreads, PoolSettings, Strategy,
};
