//! The arguments of a call, which are written by their tables.

use core::marker::PhantomData;

use zorb_cdr::{CdrResult, CdrWriter, Wire};

use super::codec::{Argument, OptionalArgument};
use super::steps::Steps;
use super::table::{Codec, Kind, Operand, Sequence, Tabled};
use super::write::write_operand;

impl<'v> Operand<'v> {
    /// A value.
    #[must_use]
    pub const fn value<T: Tabled>(value: &'v T::Value) -> Self {
        let data = core::ptr::from_ref(value).cast();
        Self { data, length: Self::VALUE, kind: const { &T::TABLE.value }, view: PhantomData }
    }

    /// Text of at most `N` octets.
    pub(super) const fn text<const N: u32>(text: &'v str) -> Self {
        let kind = const { &Kind::Text(N) };
        Self { data: text.as_ptr(), length: text.len(), kind, view: PhantomData }
    }

    /// A sequence of at most `N` elements, which have a layout.
    pub(super) const fn sequence<T: Tabled, const N: u32>(elements: &'v [T::Value]) -> Self {
        let kind = const { &Kind::Sequence(const { &Sequence::vec::<T>(N) }) };
        Self { data: elements.as_ptr().cast(), length: elements.len(), kind, view: PhantomData }
    }

    /// A view that is written by the [`Wire`] implementation of its type.
    pub(super) const fn codec<T: Wire>(view: &'v &'v T::View) -> Self {
        let data = core::ptr::from_ref(view).cast();
        let kind = const { &Kind::Codec(const { &Codec::view::<T>() }) };
        Self { data, length: Self::VALUE, kind, view: PhantomData }
    }

    /// A view of another type, which is written by `A`.
    #[must_use]
    pub const fn argument<A: Argument>(view: &'v A::View<'v>) -> Self {
        let data = core::ptr::from_ref(view).cast();
        let kind = const { &Kind::Codec(const { &Codec::argument::<A>() }) };
        Self { data, length: Self::VALUE, kind, view: PhantomData }
    }

    /// What an argument of another type refers to, or none, which is written by `A`.
    #[must_use]
    pub const fn optional<A: OptionalArgument>(target: Option<&'v A::Target>) -> Self {
        let data = match target {
            Some(target) => core::ptr::from_ref(target).cast(),
            None => core::ptr::null(),
        };
        let kind = const { &Kind::Codec(const { &Codec::optional::<A>() }) };
        Self { data, length: Self::VALUE, kind, view: PhantomData }
    }
}

impl Operand<'_> {
    /// Writes the argument.
    ///
    /// # Errors
    /// The value has no encoding.
    pub fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        write_operand(self, writer, Steps::NONE)
    }
}
