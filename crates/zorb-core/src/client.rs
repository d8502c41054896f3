//! The calling side: connections, and one call from its arguments to its reply.

mod attempt;
mod by_lane;
mod call;
mod connection;
mod connection_policies;
mod connection_settings;
mod contexts;
mod effective;
mod exclusive;
mod failing;
mod fragmenting;
mod inside;
mod interception;
mod invoke;
mod lending;
mod locate;
mod oneway_queue;
mod place;
mod pool;
mod queued;
mod reply;
mod route;
mod selection;
mod shared;
mod sharing;
mod thread_policies;
mod time_limit;
mod validate;

pub(crate) use by_lane::{Entered, LaneConnections};
pub(crate) use connection_policies::ConnectionPolicies;
pub(crate) use effective::{
    CallParameters, ClientPolicies, ObjectPolicies, policy_of, policy_of_thread_and_orb,
};
pub(crate) use inside::LOCAL_TEXT;
pub(crate) use interception::select_endpoint;
pub(crate) use invoke::invoke;
pub(crate) use lending::connection_of;
pub(crate) use locate::locate;
pub use oneway_queue::OnewayQueue;
pub(crate) use pool::ConnectionCache;
pub(crate) use reply::Invocation;
pub use reply::Outcome;
pub(crate) use reply::{ReadReply, Reply, Request, decoding, missing, read_exception};
pub(crate) use route::Routes;
pub(crate) use thread_policies::{policies_of_thread, set_policies_of_thread};
pub(crate) use validate::validate;
