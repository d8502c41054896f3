//! The book agrees with the project, and its programs run.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod classes;
mod generated;
mod health;
mod imports;
mod numbers;
mod pages;
mod plug_in;
mod realtime;
mod scheduling;
mod support;
mod tutorial;
