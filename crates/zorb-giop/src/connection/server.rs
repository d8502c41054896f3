//! The side that serves requests, without any I/O. It has one part for each use by threads:
//!
//! ```text
//! ServerReceiver      the thread that reads: decoding of headers, code sets, request numbers
//! ServerRequests      all threads, without a lock: requests being served, how the connection ends
//! CancelledRequests   threads that send, one at a time: replies that nobody waits for
//! ConnectionTimer     the thread that has a clock: whether the client takes too long
//! ```

mod cancelled;
mod receiver;
mod requests;
mod timing;

pub use cancelled::{CancelledRequests, MAX_CANCELLED};
pub use receiver::{Cancellation, ClientMessage, ServedRequest, ServerReceiver, UnreadRequest};
pub use requests::ServerRequests;
pub use timing::{Activity, ConnectionTimer, Exceeded, Incomplete, TimeLimits};
