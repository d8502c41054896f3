//! Sequences and arrays.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use arrayvec::ArrayVec;

use super::read_one;
use crate::{
    Bounded, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Context, FixedLayout, FixedReader,
    FixedWriter, Wire,
};

impl<T: Wire> Wire for Vec<T> {
    type Value = Vec<T::Value>;
    type View = [T::Value];
    type Borrowed<'a> = Cow<'a, [T::Value]>;
    const MIN_SIZE: usize = 4;

    #[inline]
    fn view(value: &Vec<T::Value>) -> &[T::Value] {
        value
    }

    #[inline]
    fn write(value: &[T::Value], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_count(value.len(), "sequence")?;
        T::write_slice(value, writer)
    }

    #[inline]
    fn passes_as_is(value: &[T::Value], context: &Context) -> bool {
        // The reader limits how many elements without octets there are.
        u32::try_from(value.len()).is_ok() && T::MIN_SIZE > 0 && all_pass::<T>(value, context)
    }

    #[inline]
    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Vec<T::Value>> {
        reader.step(4);
        let count = reader.read_count(T::MIN_SIZE, "sequence")?;
        T::read_vec(reader, count)
    }

    #[inline]
    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Cow<'a, [T::Value]>> {
        reader.step(4);
        let count = reader.read_count(T::MIN_SIZE, "sequence")?;
        T::read_elements(reader, count)
    }
}

#[inline]
fn all_pass<T: Wire>(values: &[T::Value], context: &Context) -> bool {
    T::ALWAYS_AS_IS || values.iter().all(|value| T::passes_as_is(T::view(value), context))
}

/// The IDL type `sequence<octet>` as a parameter: a servant gets a `&[u8]` into the request buffer. As a
/// value it is a `Vec<u8>`.
#[derive(Clone, Copy, Debug)]
pub enum Octets {}

impl Wire for Octets {
    type Value = Vec<u8>;
    type View = [u8];
    type Borrowed<'a> = &'a [u8];
    const MIN_SIZE: usize = 4;

    #[inline]
    fn view(value: &Vec<u8>) -> &[u8] {
        value
    }

    #[inline]
    fn write(value: &[u8], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_octets(value)
    }

    #[inline]
    fn passes_as_is(value: &[u8], _: &Context) -> bool {
        u32::try_from(value.len()).is_ok()
    }

    #[inline]
    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Vec<u8>> {
        if reader.is_in_chunks() {
            // They may be split, which a slice cannot be.
            return Vec::<u8>::read(reader);
        }
        let octets = Self::read_borrowed(reader)?;
        reader.copied(octets, "sequence<octet>")
    }

    #[inline]
    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<&'a [u8]> {
        reader.step(4);
        let count = reader.read_count(1, "sequence<octet>")?;
        reader.step(1);
        reader.take(count, "sequence<octet>")
    }
}

impl<const N: u32> Wire for Bounded<Octets, N> {
    type Value = Vec<u8>;
    type View = [u8];
    type Borrowed<'a> = &'a [u8];
    const MIN_SIZE: usize = 4;

    #[inline]
    fn view(value: &Vec<u8>) -> &[u8] {
        value
    }

    fn write(value: &[u8], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        if value.len() > N as usize {
            return Err(writer.error(CdrErrorKind::BoundExceeded, "sequence<octet>"));
        }
        writer.write_octets(value)
    }

    #[inline]
    fn passes_as_is(value: &[u8], _: &Context) -> bool {
        value.len() <= N as usize
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Vec<u8>> {
        let octets = Octets::read(reader)?;
        if octets.len() > N as usize {
            return Err(reader.error(CdrErrorKind::BoundExceeded, "sequence<octet>"));
        }
        Ok(octets)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<&'a [u8]> {
        let octets = Octets::read_borrowed(reader)?;
        if octets.len() > N as usize {
            return Err(reader.error(CdrErrorKind::BoundExceeded, "sequence<octet>"));
        }
        Ok(octets)
    }
}

impl<T: Wire, const N: usize> Wire for [T; N] {
    type Value = [T::Value; N];
    type View = [T::Value; N];
    type Borrowed<'a> = [T::Value; N];
    const MIN_SIZE: usize = T::MIN_SIZE.saturating_mul(N);
    const LAYOUT: Option<FixedLayout> = FixedLayout::array(T::LAYOUT, N);
    const ALWAYS_AS_IS: bool = T::ALWAYS_AS_IS;

    #[inline]
    fn view(value: &[T::Value; N]) -> &[T::Value; N] {
        value
    }

    #[inline]
    fn write(value: &[T::Value; N], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        T::write_slice(value, writer)
    }

    #[inline]
    fn passes_as_is(value: &[T::Value; N], context: &Context) -> bool {
        all_pass::<T>(value, context)
    }

    #[inline]
    fn read(reader: &mut CdrReader<'_>) -> CdrResult<[T::Value; N]> {
        if const { T::LAYOUT.is_some() }
            && let Some(elements) = read_one::<Self>(reader)
        {
            return Ok(elements);
        }
        if const { Self::MIN_SIZE == 0 } {
            reader.allow_empty(N, "array")?;
        }
        if !reader.is_in_one_piece() {
            reader.enter_tail(Self::MIN_SIZE);
        }
        if const { T::LAYOUT.is_some() } && !reader.is_evenly_aligned() {
            // As a run, which is aligned once: see `CdrReader::read_in_parts`.
            let elements = T::read_vec(reader, N)?;
            return elements.try_into().map_err(|_| reader.error(CdrErrorKind::Truncated, "array"));
        }
        let mut elements = ArrayVec::<T::Value, N>::new();
        for _ in 0..N {
            elements.push(T::read(reader)?);
        }
        elements.into_inner().map_err(|_| reader.error(CdrErrorKind::Truncated, "array"))
    }

    #[inline]
    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<[T::Value; N]> {
        Self::read(reader)
    }

    #[inline]
    fn write_fixed(value: &[T::Value; N], writer: &mut FixedWriter<'_>) -> Option<()> {
        T::write_fixed_array(value, writer)
    }

    #[inline]
    fn read_fixed(reader: &mut FixedReader<'_>) -> Option<[T::Value; N]> {
        T::read_fixed_array(reader)
    }
}
