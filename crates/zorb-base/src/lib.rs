//! The types that all layers of the ORB share: options, errors, policies, interceptors, counters, and the
//! state of an ORB.
//!
//! The layers above are the object adapter, invocation and serving. Programs use these types through the
//! facade crate `zorb`.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

// `#[inline]`: the attributes of this crate, `zorb-os`, `zorb-transport`, `zorb-poa`, `zorb-invocation` and `zorb-serving`
// are on the path of calls. Without those of private and generic functions, which the compiler could inline anyway, a void
// call takes 4 % more instructions in the client (1,244 instead of 1,195) and 6 % more in the server (1,339 instead of
// 1,259), with the profile `lto`. In `zorb-shm`, `zorb-short`, `zorb-types` and `zorb-rt` they saved nothing.

pub mod accepting;
pub mod buffers;
pub mod callback;
pub mod caller;
pub mod calling_lane;
pub mod compression;
pub mod connection_count;
pub mod connections;
pub mod counters;
pub mod error;
pub mod extensions;
pub mod gather;
pub mod held_counts;
pub mod interceptor;
pub mod local_endpoints;
pub mod local_sockets;
pub mod message_budget;
pub mod object_id;
pub mod options;
pub mod orb_core;
pub mod peer_threads;
pub mod policy;
pub mod process_limits;
pub mod progress;
pub mod protocol_choice;
pub mod raises;
pub mod steady_events;
pub mod swap_slot;
pub mod threads;
pub mod upcall_thread;
