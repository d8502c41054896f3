//! The core over real connections. Process-wide counts are in `counts`.
#![allow(clippy::unwrap_used, clippy::panic)]

mod binding;
mod call;
mod callbacks;
mod collocated;
mod connecting;
mod descriptors;
mod errors;
mod flood;
mod gather;
mod held;
mod hostile;
mod idle;
mod interceptors;
mod lifecycle;
mod logging;
mod main_thread;
mod memory;
mod poa;
mod policies;
mod scripted;
mod service_contexts;
mod sharing;
mod support;
mod threads;
mod turns;
