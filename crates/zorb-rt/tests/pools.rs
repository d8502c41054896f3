//! Thread pools: who is served, by which thread, in which order.
#![allow(clippy::unwrap_used, clippy::use_self)]

#[path = "pools/bands.rs"]
mod bands;
#[path = "pools/calls.rs"]
mod calls;
#[path = "pools/events.rs"]
mod events;
#[path = "pools/fixture.rs"]
mod fixture;
#[path = "pools/hostile.rs"]
mod hostile;
#[path = "pools/lanes.rs"]
mod lanes;
#[path = "pools/mute.rs"]
mod mute;
#[path = "pools/queues.rs"]
mod queues;
#[path = "pools/silence.rs"]
mod silence;
#[path = "pools/threads.rs"]
mod threads;
