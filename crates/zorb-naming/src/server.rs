//! The naming service itself (feature `server`): [`NamingService`].
//!
//! `zorb serve naming` runs one; a program embeds one as in the example of [`NamingService`].

mod clock;
mod context_id;
mod contexts;
mod federation;
mod iterators;
mod lease_operations;
mod lease_thread;
mod leases;
mod names;
mod options;
mod own;
mod page;
mod path;
mod raise;
mod service;
mod stored;
mod tables;
mod tree;
mod url;

pub use options::{NamingOptions, SetNamingOptions};
pub use own::KEY;
pub use page::{ListedName, NamesPage};
pub use service::{NamingService, Statistics};
