//! The naming service itself (feature `server`): [`NamingService`].
//!
//! `zorb serve naming` runs one; a program embeds one as in the example of [`NamingService`].

mod context_id;
mod contexts;
mod federation;
mod iterators;
mod names;
mod path;
mod raise;
mod service;
mod settings;
mod stored;
mod tables;
mod tree;
mod url;

pub use service::{KEY, NamingService, Statistics};
pub use settings::{Limits, Settings};
