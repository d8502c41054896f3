//! Makes `?` convert errors to the error of the operation that a servant implements.
//!
//! The error of an operation has one `impl<E: RaisedIn<ThisError>> From<E> for ThisError`. [`RaisedIn`] includes
//! the errors of all other operations, but must exclude the error itself, since every type already converts from
//! itself. Rust has no bound `E != Self`. Therefore each error has a [`Number`](Numbered::Number), a type that
//! encodes the bits of a hash of its name, and [`OtherThan`] holds for two numbers that differ in a bit.

use crate::poa::PoaError;
use zorb_base::error::Error;
use zorb_base::raises::Raises;
use zorb_cdr::CdrError;
use zorb_types::SystemException;

/// An error that `?` converts to the error `To` of an operation.
#[diagnostic::on_unimplemented(
    message = "`?` cannot convert `{Self}` to `{To}`",
    note = "an operation's error converts from the user exceptions that the operation raises, system exceptions, \
            `PoaError`, `zorb::Error`, and the errors of other operations"
)]
pub trait RaisedIn<To>: Into<Error> {}

impl<To: Raises> RaisedIn<To> for SystemException {}
impl<To: Raises> RaisedIn<To> for PoaError {}
impl<To: Raises> RaisedIn<To> for CdrError {}
impl<To: Raises> RaisedIn<To> for Error {}

/// Converts an error to the error `To` of an operation: see [`Error::into_raised`].
#[cold]
pub fn raised_in<To: Raises>(failure: impl RaisedIn<To>) -> To {
    failure.into().into_raised()
}

/// The error of an operation, with a number that distinguishes it from the errors of other operations.
pub trait Numbered {
    /// Nested pairs of a [`Bit`] and the pair of the next bit.
    type Number;
}

/// A binary digit as a type.
pub type Bit<const B: usize> = [(); B];

/// Holds for two different numbers. `To` is the target of the conversion: it is local to the crate of the
/// conversion, so that the coherence check may assume that no other crate adds implementations.
pub trait OtherThan<To, Number> {}

impl<To, A, B> OtherThan<To, (Bit<1>, B)> for (Bit<0>, A) {}
impl<To, A, B> OtherThan<To, (Bit<0>, B)> for (Bit<1>, A) {}
impl<To, A: OtherThan<To, B>, B> OtherThan<To, (Bit<0>, B)> for (Bit<0>, A) {}
impl<To, A: OtherThan<To, B>, B> OtherThan<To, (Bit<1>, B)> for (Bit<1>, A) {}

/// One bit of the hash (FNV-1a) of a name.
pub const fn bit_of(name: &str, bit: u32) -> usize {
    let mut hash: u32 = 0x811c_9dc5;
    let mut rest = name.as_bytes();
    while let [first, tail @ ..] = rest {
        hash = (hash ^ *first as u32).wrapping_mul(0x0100_0193);
        rest = tail;
    }
    ((hash >> bit) & 1) as usize
}

/// The number of a name.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_number {
    ($name:expr) => {
        $crate::__zorb_number!($name;
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)
    };
    ($name:expr;) => { () };
    ($name:expr; $bit:literal $($rest:literal)*) => {
        (
            $crate::codegen::Bit<{ $crate::codegen::bit_of($name, $bit) }>,
            $crate::__zorb_number!($name; $($rest)*),
        )
    };
}
