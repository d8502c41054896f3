//! The calling side: connections, and one call from its arguments to its reply.

mod connection;
mod invoke;
mod locate;
mod patience;
mod place;
mod pool;
mod reach;
mod reply;
mod route;

pub(crate) use invoke::invoke;
pub(crate) use locate::locate;
pub(crate) use pool::ConnectionCache;
pub(crate) use reply::Reply;
pub(crate) use route::Routes;
