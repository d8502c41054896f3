//! The serving strategies: how the threads of a lane share its work.

mod backlog;
mod half_sync;
mod leader_followers;
pub(super) mod queue;
mod resumed_connections;
mod single_thread;
mod thread_per_connection;

pub(super) use self::half_sync::HalfSync;
pub(super) use self::leader_followers::LeaderFollowers;
pub(super) use self::single_thread::SingleThread;
pub(super) use self::thread_per_connection::ThreadPerConnection;
