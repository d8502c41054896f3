//! Thread pools: which thread serves which request, in which order.

mod bands;
mod calls;
mod chaos;
mod events;
mod fairness;
mod fixture;
mod hostile;
mod lanes;
mod mute;
mod queues;
mod silence;
mod threads;
mod unread;
