//! What generated code uses: macros, and the code that they share. Not part of the API.

mod calls;
mod macros;

pub use calls::{Raises, UserException, enumerator, outcome, raise};

pub use crate::{
    __nano_enumeration as enumeration, __nano_exception as exception,
    __nano_interface as interface, __nano_invoke as invoke, __nano_oneway as oneway,
    __nano_oneway_to_all as oneway_to_all, __nano_raises as raises, __nano_skeleton as skeleton,
    __nano_structure as structure,
};
