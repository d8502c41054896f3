//! Helpers of the macros of generated code.

use std::fmt;

use zorb_interp::{Operand, OptionalArgument};

use super::{CdrResult, CdrWriter, Context, Interface, ObjectRef, Ref};

/// The sum of the minimum sizes of a struct's members.
pub const fn min_size(members: &[usize]) -> usize {
    let mut sum = 0_usize;
    let mut rest = members;
    while let [first, tail @ ..] = rest {
        sum = sum.saturating_add(*first);
        rest = tail;
    }
    sum
}

/// A number for which [`TryFrom`] found no enumerator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnknownEnumerator {
    /// The IDL name of the enumeration.
    pub enumeration: &'static str,
    /// The number.
    pub value: u32,
}

impl fmt::Display for UnknownEnumerator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the enumeration {} has no value {}", self.enumeration, self.value)
    }
}

impl std::error::Error for UnknownEnumerator {}

/// An object reference as an argument: `Option<&T>` instead of `Option<T>`.
#[derive(Clone, Copy, Debug)]
pub struct RefArgument<T>(std::marker::PhantomData<fn() -> T>);

impl<T: Interface> RefArgument<T> {
    /// Writes the reference, or nil.
    ///
    /// # Errors
    /// The reference has no encoding.
    pub fn write(value: Option<&T>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        Ref::<T>::write_option(value, writer)
    }

    /// Whether a collocated call may pass it without marshalling.
    pub fn passes_as_is(value: Option<&T>, context: &Context) -> bool {
        Ref::<T>::passes_as_is_option(value, context)
    }
}

impl<T: Interface> RefArgument<T> {
    /// An operand of an interpretive stub.
    #[must_use]
    pub fn operand<'v>(value: &Option<&'v T>) -> Operand<'v> {
        Operand::optional::<RefArgument<ObjectRef>>(value.map(T::as_object))
    }
}

/// References of all types are written alike.
impl OptionalArgument for RefArgument<ObjectRef> {
    type Target = ObjectRef;

    fn write(value: Option<&ObjectRef>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        Self::write(value, writer)
    }
}
