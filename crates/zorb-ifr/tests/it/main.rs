//! The interface repository, called over connections.
#![allow(clippy::unwrap_used)]

mod changes;
mod repository;
mod shop;
mod stored;
