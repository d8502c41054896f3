//! Tests of stores on disks and in folders.
#![allow(clippy::unwrap_used, clippy::panic)]

mod crashes;
mod damage;
mod dumps;
mod folders;
mod full;
mod killed;
mod real_disk;
mod support;
