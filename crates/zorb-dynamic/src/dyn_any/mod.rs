//! DynAny: values read and built by their TypeCodes (CORBA 3.3 part 1, 12).

mod array;
mod basic;
mod default;
mod error;
mod image;
mod known;
mod named;
mod navigation;
mod operations;
mod sequence;
mod structure;
#[cfg(test)]
mod tests;
mod tree;
mod union;
pub(crate) mod value;
mod write;

pub use array::DynArray;
pub use error::{DynAnyError, DynAnyResult};
pub use named::{DynEnum, DynFixed};
pub use sequence::DynSequence;
pub use structure::DynStruct;
pub use tree::DynAny;
pub use union::DynUnion;
pub use value::{DynValue, DynValueBox};
