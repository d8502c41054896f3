//! The calling side: connections, and one call from its arguments to its reply.

mod attempt;
mod by_lane;
mod call;
mod connection;
mod contexts;
mod exclusive;
mod failing;
mod fragmenting;
mod inside;
mod invoke;
mod lending;
mod locate;
mod patience;
mod place;
mod pool;
mod queued;
mod reach;
mod reply;
mod route;
mod shared;
mod sharing;
mod validate;

pub(crate) use by_lane::{Entered, LaneLines};
pub(crate) use fragmenting::in_fragments;
pub(crate) use inside::LOCAL_TEXT;
pub(crate) use invoke::invoke;
pub(crate) use lending::connection_of;
pub(crate) use locate::locate;
pub(crate) use pool::ConnectionCache;
pub(crate) use queued::{Outboxes, enqueue};
pub(crate) use reply::{Reply, decoding, unlisted};
pub(crate) use route::Routes;
pub(crate) use validate::validate;
