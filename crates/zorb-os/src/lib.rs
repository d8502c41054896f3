//! A safe API of the operating system: layer 0 of Zorb.
//!
//! All `unsafe` code of the crate is in the private module `sys`, one operation per block; of the ORB's other crates, only
//! `zorb-interp` has any. The public modules are safe code on top of it. Linux on `x86_64`
//! and `aarch64`.
//!
//! | module | contents |
//! |---|---|
//! | [`alloc`] | an allocator that counts allocations, per thread and in total |
//! | [`buffers`] | buffers in shared memory that one process fills and another reads in place |
//! | [`clock`] | the monotonic clock in nanoseconds |
//! | [`event`] | events and timers for threads that wait for descriptors |
//! | [`file`](mod@file) | locks of files |
//! | [`futex`] | sleeping until another thread or process changes a word |
//! | [`interface`] | the addresses of the machine's network interfaces |
//! | [`lock`] | locks with priority inheritance, and condition variables |
//! | [`machine`] | the identity of the machine |
//! | [`memory`] | memory shared between processes |
//! | [`mutex`] | a mutex with priority inheritance |
//! | [`poll`] | waiting until descriptors are readable, or until peers disconnect |
//! | [`priority`] | scheduling policies and priorities of threads |
//! | [`probe`](mod@probe) | time probes, for builds with the feature `probes` |
//! | [`process`] | memory usage, child processes that end with their parent |
//! | [`random`] | random numbers |
//! | [`repeating`] | a thread that calls a function from time to time |
//! | [`scoped`] | references that are set while a function runs |
//! | [`signal`] | waiting for termination signals |
//! | [`slot`] | passing a box between threads without a lock |
//! | [`socket`] | pending data, credentials of the peer, passing descriptors |
//! | [`thread`] | names, ids and processor affinity of threads |
//! | [`thread_count`] | the number of threads that ORBs and transports have started |
//! | [`typed`] | values that are found by their types |
//!
//! This crate is for Zorb itself. Applications use the facade crate `zorb`.
#![cfg(target_os = "linux")]
#![deny(unsafe_code)] // lifted in `sys` alone
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

// `#[inline]`: as in `zorb-base`, whose root says what the attributes of the crates on the path of calls save.

pub mod alloc;
pub mod buffers;
pub mod clock;
pub mod event;
pub mod file;
pub mod futex;
pub mod interface;
pub mod lock;
pub mod machine;
pub mod memory;
pub mod mutex;
pub mod poll;
pub mod priority;
pub mod probe;
pub mod process;
pub mod random;
pub mod repeating;
pub mod scoped;
pub mod signal;
pub mod slot;
pub mod socket;
pub mod socket_file;
#[allow(unsafe_code)]
mod sys;
pub mod thread;
pub mod thread_count;
pub mod thread_safe;
pub mod typed;
