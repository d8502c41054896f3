//! The operating system behind a safe API: Zorb's floor 0.
//!
//! This is the only crate of the ORB with `unsafe` code, and all of it is in the private
//! `sys` module, one operation a block; the public modules are safe code over it. Linux on
//! `x86_64` and `aarch64`.
//!
//! | module | what it has |
//! |---|---|
//! | [`alloc`] | an allocator that counts, by thread and in total |
//! | [`buffers`] | buffers in shared memory that one process fills and another reads in place |
//! | [`clock`] | the monotonic clock in nanoseconds |
//! | [`event`] | events that wake a thread waiting on descriptors |
//! | [`futex`] | sleeping until another thread or process changes a word |
//! | [`interface`] | the addresses of the machine's network interfaces |
//! | [`lock`] | values that threads of different priorities share, and waiting for them to change |
//! | [`machine`] | which machine this is |
//! | [`memory`] | memory that processes share |
//! | [`mutex`] | a lock whose holder inherits the priority of those that wait |
//! | [`poll`] | waiting for descriptors to become readable, or for their other ends to go |
//! | [`priority`] | how the system schedules a thread |
//! | [`probe`](mod@probe) | where the time of a call goes, for builds that want to know |
//! | [`process`] | memory in use, children that do not outlive their parent |
//! | [`signal`] | Ctrl-C and its kin as something a thread waits for |
//! | [`slot`] | handing a box from thread to thread without a lock |
//! | [`socket`] | what a socket has pending, who is at its other end, descriptors handed over |
//! | [`thread`] | names, ids, processors of threads |
//!
//! This crate is for Zorb itself. Applications use the facade crate `zorb`.
#![cfg(target_os = "linux")]
#![deny(unsafe_code)] // lifted in `sys` alone
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

pub mod alloc;
pub mod buffers;
pub mod clock;
pub mod event;
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
pub mod signal;
pub mod slot;
pub mod socket;
#[allow(unsafe_code)]
mod sys;
pub mod thread;
