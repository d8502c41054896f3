//! The storage of services: tables that map keys to values, both octets, changed in batches.
//!
//! A service reads with [`Store::get`] and [`Store::scan`], and changes what it has stored with
//! [`Store::commit`], whose [`Batch`] takes effect as a whole or not at all. [`FileStore`] keeps the
//! tables in a folder, as durable as its [`Durability`]; [`MemoryStore`] is for services that store nothing, and for tests;
//! a [`SimulatedDisk`](simulation::SimulatedDisk) fails as disks do. The names of a service's tables begin with its own:
//! `naming.bindings`. Its [`Schema`] numbers the versions of its tables, and migrates older ones.
//!
//! ```
//! use zorb_store::{Batch, MemoryStore, Store};
//!
//! let store = MemoryStore::new();
//! store.commit(Batch::new().put("naming.bindings", b"printer", b"IOR:01").delete("naming.bindings", b"plotter"))?;
//! assert_eq!(store.get("naming.bindings", b"printer")?.as_deref(), Some(&b"IOR:01"[..]));
//! # Ok::<(), zorb_store::StoreError>(())
//! ```
//!
//! This crate uses no ORB.
#![forbid(unsafe_code)]

mod batch;
mod disk;
pub mod dump;
mod durability;
#[expect(clippy::result_large_err, reason = "errors of the database are large, and rare")]
mod engine;
mod error;
mod file_store;
mod folder;
pub mod limits;
pub mod maintenance;
mod memory;
mod schema;
pub mod simulation;
mod store;
mod whole;

pub use batch::{Batch, Change};
pub use durability::Durability;
pub use error::{StoreError, StoreErrorKind};
pub use file_store::{FileStore, FileStoreOptions};
pub use memory::MemoryStore;
pub use schema::{Migration, Schema};
pub use store::{Entry, Statistics, Store, Visit};
pub use whole::replace_file;
