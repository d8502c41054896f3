//! Lanes: threads, endpoints and connections that serve requests of one priority, and share nothing
//! with those of another.
//!
//! A [`Pool`] is a set of lanes, and an object adapter whose policies name one
//! ([`TypedPolicy::pool`](crate::policy::TypedPolicy::pool)) is served by its threads alone: its
//! references have the endpoints of the pool's lanes, and none of the ORB's own. RT-CORBA's thread
//! pools (crate `zorb-rt`) are made of it; here priorities are numbers that references carry, and what
//! they mean to threads is for [`LaneThreads`] to say.
//!
//! ```text
//! endpoints -> readiness set -> thread: read, upcall, reply      leader/followers
//! endpoints -> readiness set -> thread: read -> queue -> thread: upcall, reply      half-sync
//! endpoint  -> thread of the connection: read, upcall, reply      thread per connection
//! ```
//!
//! With leader/followers ([`Strategy::LeaderFollowers`]) the threads of a lane wait together for
//! what comes over any of its connections; the system wakes one for each event, which reads, makes
//! the upcall and replies, while the others go on waiting. Where requests are to be held while
//! all threads are busy, or lanes borrow threads of each other, one thread of the lane reads and the
//! others make the upcalls ([`Strategy::HalfSync`]).
//!
//! Once a program has found its pace its pools can be [frozen](crate::Orb::freeze_pools): from then on
//! each lane counts what its threads do that takes time which nobody has bounded.

mod connections;
mod follow;
mod frozen;
mod helpers;
mod jobs;
mod keeper;
mod lane;
mod permits;
mod pool;
mod queue;
mod settings;
mod strangers;
mod tenants;
#[cfg(test)]
mod tests;
mod work;

pub use frozen::{LaneViolations, ViolationReport};
pub use pool::{Pool, WeakPool};
pub use settings::{
    Buffering, DynamicLifespan, LaneCounts, LaneSettings, LaneThreads, PoolSettings, Strategy,
};

pub(crate) use frozen::Freezing;
pub(crate) use lane::Lane;
pub(crate) use pool::{AnyPool, InPool, PoolUse};
