//! Arrays whose elements have different sizes, in place.

use core::marker::PhantomData;

use super::{Position, SequenceView, VariablePositions, Viewed};
use crate::{CdrReader, CdrResult, CdrWriter, Context, Wire};

/// An array of strings, of sequences, or of structs with these, in a view. It has the octets and values of `[T; N]`.
///
/// Arrays of types of [fixed size](super::FixedSize) are such types, and are read in place as `[T; N]`.
#[derive(Clone, Copy, Debug)]
pub struct ViewedArray<T, const N: usize>(PhantomData<fn() -> T>);

impl<T: Wire, const N: usize> Wire for ViewedArray<T, N> {
    type Value = [T::Value; N];
    type View = [T::Value; N];
    type Borrowed<'a> = [T::Value; N];
    const MIN_SIZE: usize = <[T; N]>::MIN_SIZE;
    const ALWAYS_AS_IS: bool = <[T; N]>::ALWAYS_AS_IS;

    #[inline]
    fn view(value: &[T::Value; N]) -> &[T::Value; N] {
        value
    }

    #[inline]
    fn write(value: &[T::Value; N], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        <[T; N]>::write(value, writer)
    }

    #[inline]
    fn passes_as_is(value: &[T::Value; N], context: &Context) -> bool {
        <[T; N]>::passes_as_is(value, context)
    }

    #[inline]
    fn read(reader: &mut CdrReader<'_>) -> CdrResult<[T::Value; N]> {
        <[T; N]>::read(reader)
    }

    #[inline]
    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<[T::Value; N]> {
        <[T; N]>::read(reader)
    }
}

impl<T: Viewed, const N: usize> Viewed for ViewedArray<T, N> {
    type ReadAs<'a> = SequenceView<'a, T>;
    type Positions<'a> = VariablePositions<'a, Self>;

    #[inline]
    fn read_at(position: Position<'_>) -> SequenceView<'_, T> {
        SequenceView::new(position, N)
    }

    #[inline]
    fn after(position: Position<'_>) -> Position<'_> {
        T::after_all(position, N)
    }

    #[inline]
    fn positions(position: Position<'_>, count: usize) -> VariablePositions<'_, Self> {
        VariablePositions::new(position, count)
    }

    fn value(read: SequenceView<'_, T>) -> [T::Value; N] {
        let mut position = read.position();
        core::array::from_fn(|_| {
            let value = T::value(T::read_at(position));
            position = T::after(position);
            value
        })
    }

    #[inline]
    fn check(reader: &mut CdrReader<'_>) -> Option<()> {
        T::check_all(reader, N)
    }

    fn copy(reader: &mut CdrReader<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        T::copy_all(reader, N, writer)
    }
}
