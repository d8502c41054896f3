//! The Rust names of all definitions, and the paths between them.

mod assign;
mod built_in;
mod case;
mod external;
mod methods;
mod paths;
mod scope;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use case::Case;
pub(crate) use external::external;
pub(crate) use methods::Method;
pub(crate) use scope::Scope;
pub(crate) use table::{AmhTraits, Module, Names};
