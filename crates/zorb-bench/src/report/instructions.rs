//! Instructions of marshalling.

use serde::Serialize;

/// Instructions that each engine needs for a value of a type, the C library's included.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Instructions {
    /// The type.
    pub value: &'static str,
    /// What is done: `marshal` or `demarshal`.
    pub direction: &'static str,
    /// Instructions of the code of the type.
    pub compiled: u64,
    /// Instructions of the interpretive engine.
    pub interpretive: u64,
}
