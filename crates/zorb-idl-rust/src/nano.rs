//! The mapping for the small ORB: values without memory of their own, and views of received messages.

mod types;
mod unsupported;

pub(crate) use types::{NanoTypes, is_stored};
pub(crate) use unsupported::unsupported;
