//! Makes `?` convert errors to the error of the operation that a servant implements.
//!
//! The error of an operation has one `impl<E: RaisedIn<ThisError>> From<E> for ThisError`. [`RaisedIn`] includes
//! the errors of all other operations, but must exclude the error itself, since every type already converts from
//! itself. Rust has no bound `E != Self`. Therefore each error has a [`Number`](Numbered::Number), a type that
//! encodes the digits of a hash of its name, and [`OtherThan`] holds for two numbers that differ in a digit.

use zorb_base::error::Error;
use zorb_base::raises::Raises;
use zorb_cdr::CdrError;
use zorb_types::SystemException;

use crate::poa::PoaError;

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
    /// Nested pairs of a [`Digit`] and the pair of the next digit.
    type Number;
}

/// A digit from 0 to 3 as a type. Each is a constant that the compiler evaluates, and comparing two numbers takes
/// it the square of their length; more values need more implementations of [`OtherThan`], which it tries in turn.
pub type Digit<const D: usize> = [(); D];

/// Holds for two different numbers. `To` is the target of the conversion: it is local to the crate of the
/// conversion, so that the coherence check may assume that no other crate adds implementations.
pub trait OtherThan<To, Number> {}

/// Implements [`OtherThan`] for all pairs of digits.
macro_rules! digits {
    ([$($smaller:literal)*]) => {};
    ([$($smaller:literal)*] $digit:literal $($larger:literal)*) => {
        $(
            impl<To, A, B> OtherThan<To, (Digit<$digit>, B)> for (Digit<$smaller>, A) {}
            impl<To, A, B> OtherThan<To, (Digit<$smaller>, B)> for (Digit<$digit>, A) {}
        )*
        impl<To, A: OtherThan<To, B>, B> OtherThan<To, (Digit<$digit>, B)> for (Digit<$digit>, A) {}
        digits!([$($smaller)* $digit] $($larger)*);
    };
}
digits!([] 0 1 2 3);

/// One digit of the hash (FNV-1a) of a name.
pub const fn digit_of(name: &str, digit: u32) -> usize {
    let mut hash: u32 = 0x811c_9dc5;
    let mut rest = name.as_bytes();
    while let [first, tail @ ..] = rest {
        hash = (hash ^ *first as u32).wrapping_mul(0x0100_0193);
        rest = tail;
    }
    ((hash >> (2 * digit)) & 3) as usize
}

/// The number of a name.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_number {
    ($name:expr) => {
        $crate::__zorb_number!($name; 0 1 2 3 4 5 6 7 8 9 10 11)
    };
    ($name:expr;) => { () };
    ($name:expr; $digit:literal $($rest:literal)*) => {
        (
            $crate::codegen::Digit<{ $crate::codegen::digit_of($name, $digit) }>,
            $crate::__zorb_number!($name; $($rest)*),
        )
    };
}
