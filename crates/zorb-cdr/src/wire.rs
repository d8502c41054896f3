//! The trait that maps an IDL type to a Rust type, and the runs in which it moves values of fixed size.

mod compound;
mod fixed;
mod in_memory;
mod map;
mod primitive;
#[cfg(test)]
mod tests;
mod text;

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::any::Any;
use core::marker::PhantomData;

use arrayvec::ArrayVec;

use crate::writer::BLOCK;
use crate::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter};

pub use compound::Octets;
pub(crate) use fixed::MAX_ALIGNMENT;
pub use fixed::{FixedLayout, FixedReader, FixedWriter};
pub use in_memory::InMemory;
pub use text::{Bounded, SHORT_TEXT, WChar, WString};

/// What some types need to decode their values; see [`CdrReader::with_context`].
pub type Context = dyn Any + Send + Sync;

/// Octets of memory that a sequence may allocate before its elements are read.
const READ_AHEAD: usize = 64 * 1024;

/// An IDL type: its values in Rust, and their encoding.
///
/// Most Rust types represent an IDL type directly: `i32` is `long`, `String` is `string`, `Vec<T>` is
/// `sequence<T>`, `[T; N]` is an array, and so is every struct, union and enum that the IDL compiler
/// generates. Where one Rust type represents two IDL types, marker types distinguish them: [`WString`] and
/// [`WChar`] for wide text, [`Bounded`] for bounds. So `Vec<WString>` is `sequence<wstring>`, and its
/// [`Value`](Wire::Value) is `Vec<String>`.
pub trait Wire {
    /// The owned value.
    type Value: Clone + 'static;
    /// What a reference to a value as a parameter points to: `str` for strings, `[T]` for sequences, else
    /// the value.
    type View: ?Sized;
    /// The `in` parameter of a servant, borrowed from the request where possible.
    type Borrowed<'a>;

    /// The smallest encoding of a value in octets, without padding. It limits what a received length may allocate. 0 if a
    /// value can have no octets, as that of a struct without members; a type that repeats such values calls
    /// [`CdrReader::allow_empty`].
    const MIN_SIZE: usize;

    /// The layout of types whose values all have the same size. Such a type implements
    /// [`write_fixed`](Wire::write_fixed) and [`read_fixed`](Wire::read_fixed), and runs of its values are
    /// moved together. Default: none.
    const LAYOUT: Option<FixedLayout> = None;
    /// Whether [`passes_as_is`](Wire::passes_as_is) returns `true` for every value: numbers, enums, and
    /// types composed of them. Default: no.
    const ALWAYS_AS_IS: bool = false;
    /// What copies values that are encoded as they are in memory, in the machine's byte order. Such a type has a
    /// [`LAYOUT`](Wire::LAYOUT), too. Default: none.
    const IN_MEMORY: Option<InMemory<Self::Value>> = None;

    /// The view of a value.
    fn view(value: &Self::Value) -> &Self::View;

    /// Appends a value.
    ///
    /// # Errors
    /// When the value has no encoding: it is too long, has a NUL inside, or a character that the code set
    /// does not have.
    fn write(value: &Self::View, writer: &mut CdrWriter<'_>) -> CdrResult<()>;

    /// Reads a value.
    ///
    /// # Errors
    /// When the octets are not a valid encoding of this type.
    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self::Value>;

    /// Reads a value, borrowed from the buffer where the type allows it.
    ///
    /// # Errors
    /// As [`read`](Wire::read).
    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self::Borrowed<'a>>;

    /// Whether a collocated call may pass the value without encoding it: encoding it, with text in UTF-8
    /// and UTF-16, and decoding it, with `context` as in [`CdrReader::with_context`], cannot fail and
    /// yields an equal value.
    ///
    /// `false` is always correct: the value is then encoded and decoded.
    #[inline]
    fn passes_as_is(value: &Self::View, context: &Context) -> bool {
        let _ = (value, context);
        Self::ALWAYS_AS_IS
    }

    /// Writes a value of a type with a [`LAYOUT`](Wire::LAYOUT) to octets reserved for it; `None` for a
    /// value that [`write`](Wire::write) refuses, and for types without a layout.
    #[inline]
    fn write_fixed(_value: &Self::Value, _writer: &mut FixedWriter<'_>) -> Option<()> {
        None
    }

    /// Reads a value of a type with a [`LAYOUT`](Wire::LAYOUT), [refusing](FixedReader::refuse) octets that
    /// [`read`](Wire::read) refuses; `None` for types without a layout.
    #[inline]
    fn read_fixed(_reader: &mut FixedReader<'_>) -> Option<Self::Value> {
        None
    }

    /// [`write_fixed`](Wire::write_fixed) for the elements of an array.
    #[inline]
    fn write_fixed_array(values: &[Self::Value], writer: &mut FixedWriter<'_>) -> Option<()> {
        values.iter().try_for_each(|value| Self::write_fixed(value, writer))
    }

    /// [`read_fixed`](Wire::read_fixed) for the elements of an array.
    #[inline]
    fn read_fixed_array<const N: usize>(reader: &mut FixedReader<'_>) -> Option<[Self::Value; N]> {
        let mut elements = ArrayVec::new();
        for _ in 0..N {
            elements.push(Self::read_fixed(reader)?);
        }
        elements.into_inner().ok()
    }

    /// Appends values, as one run if the type has a layout.
    ///
    /// # Errors
    /// As [`write`](Wire::write).
    #[inline]
    fn write_slice(values: &[Self::Value], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        if const { Self::LAYOUT.is_some() } {
            return write_run::<Self>(values, writer);
        }
        values.iter().try_for_each(|value| Self::write(Self::view(value), writer))
    }

    /// Reads `count` values. [`CdrReader::read_count`] has checked `count`.
    ///
    /// # Errors
    /// As [`read`](Wire::read).
    #[inline]
    fn read_vec(reader: &mut CdrReader<'_>, count: usize) -> CdrResult<Vec<Self::Value>> {
        if const { Self::LAYOUT.is_some() }
            && let Some(values) = read_run::<Self>(reader, count)
        {
            return Ok(values);
        }
        // Counts of nested sequences multiply, so what is allocated ahead is limited; the rest grows with
        // the elements read.
        reader.allow(count.saturating_mul(size_of::<Self::Value>()), "sequence")?;
        let ahead = READ_AHEAD / size_of::<Self::Value>().max(1);
        let mut values = reader.vector_of_allowed(count.min(ahead), "sequence")?;
        loop {
            for _ in values.len()..count.min(values.capacity()) {
                values.push(Self::read(reader)?);
            }
            if values.len() >= count {
                return Ok(values);
            }
            grow(&mut values, count, reader)?;
        }
    }

    /// As [`read_vec`](Wire::read_vec), but borrows the values from the buffer where it has them as they are
    /// in memory: numbers, and structs of them, in the machine's byte order, aligned for their type.
    ///
    /// # Errors
    /// As [`read`](Wire::read).
    #[inline]
    fn read_elements<'a>(
        reader: &mut CdrReader<'a>,
        count: usize,
    ) -> CdrResult<Cow<'a, [Self::Value]>> {
        if let Some(values) = borrow_run::<Self>(reader, count) {
            return Ok(Cow::Borrowed(values));
        }
        Self::read_vec(reader, count).map(Cow::Owned)
    }
}

/// Doubles the capacity of `values`, up to `count`.
#[cold]
fn grow<T>(values: &mut Vec<T>, count: usize, reader: &CdrReader<'_>) -> CdrResult<()> {
    let more = (count - values.len()).min(values.len().max(1));
    let reserved = values.try_reserve_exact(more);
    reserved.map_err(|_| reader.error(CdrErrorKind::OutOfMemory, "sequence"))
}

/// The constants of a run of `T`.
struct Run<T: ?Sized>(PhantomData<T>);

impl<T: Wire + ?Sized> Run<T> {
    const LAYOUT: FixedLayout = match T::LAYOUT {
        Some(layout) => layout,
        // Never used: types without a layout have no runs.
        None => FixedLayout::number(1),
    };
    const STRIDE: usize = Self::LAYOUT.stride();
    const CLASS: usize = Self::LAYOUT.class();
    const PER_BLOCK: usize = if Self::STRIDE < BLOCK { BLOCK / Self::STRIDE } else { 1 };

    /// What copies the values, if their encoding has no padding either.
    const IN_MEMORY: Option<InMemory<T::Value>> = match T::IN_MEMORY {
        Some(in_memory) if Self::CLASS == 0 && Self::STRIDE == size_of::<T::Value>() => {
            Some(in_memory)
        }
        _ => None,
    };

    /// The same, if values in `order` are so.
    #[inline]
    fn in_memory(order: ByteOrder) -> Option<InMemory<T::Value>> {
        let in_memory = const { Self::IN_MEMORY };
        in_memory.filter(|_| order == ByteOrder::NATIVE)
    }
}

/// Appends values of a type with a layout.
fn write_run<T: Wire + ?Sized>(values: &[T::Value], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    // The padding of the first value differs from that of the others.
    let Some((first, others)) = values.split_first() else { return Ok(()) };
    T::write(T::view(first), writer)?;
    if others.is_empty() {
        return Ok(());
    }
    writer.reserve_capacity(others.len().saturating_mul(Run::<T>::STRIDE), "sequence")?;
    if let Some(in_memory) = Run::<T>::in_memory(writer.order()) {
        // Not offered to be sent from here: a tail begins with the first value.
        writer.put((in_memory.octets)(others));
        return Ok(());
    }
    match writer.order() {
        ByteOrder::NATIVE => write_blocks::<T>(others, writer, ByteOrder::NATIVE),
        _ => write_swapped::<T>(others, writer),
    }
}

#[inline(never)]
fn write_swapped<T: Wire + ?Sized>(
    values: &[T::Value],
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    write_blocks::<T>(values, writer, ByteOrder::NATIVE.swapped())
}

#[inline]
fn write_blocks<T: Wire + ?Sized>(
    values: &[T::Value],
    writer: &mut CdrWriter<'_>,
    order: ByteOrder,
) -> CdrResult<()> {
    let (stride, class) = (Run::<T>::STRIDE, Run::<T>::CLASS);
    let last_char = char::from(writer.text().last_char());
    for block in values.chunks(Run::<T>::PER_BLOCK) {
        let start = writer.mark();
        let octets = writer.reserve(block.len().saturating_mul(stride));
        let mut pairs = octets.chunks_exact_mut(stride).zip(block);
        let written = pairs.all(|(octets, value)| {
            let mut fixed = FixedWriter::new(octets, class, order, last_char);
            T::write_fixed(value, &mut fixed).is_some()
        });
        if !written {
            // One by one, to find which one fails and why.
            writer.truncate(start);
            block.iter().try_for_each(|value| T::write(T::view(value), writer))?;
        }
    }
    Ok(())
}

/// Reads `count` values of a type with a layout. `None`, without moving the reader, when the caller has
/// to read them one by one, also to find which one fails.
fn read_run<T: Wire + ?Sized>(reader: &mut CdrReader<'_>, count: usize) -> Option<Vec<T::Value>> {
    let mut ahead = reader.clone();
    let others = count.checked_sub(1)?;
    let first = T::read(&mut ahead).ok()?;
    if !ahead.is_evenly_aligned()
        || ahead.offset() % Run::<T>::LAYOUT.alignment() != Run::<T>::CLASS
    {
        return None;
    }
    // Allocates only after all octets are known to be there.
    let octets = ahead.take(others.checked_mul(Run::<T>::STRIDE)?, "sequence").ok()?;
    let last_char = reader.text().last_char();
    // Without memory for them, it is not there for the first few either.
    let mut values = ahead.vector(count, "sequence").ok()?;
    if let Some(in_memory) = Run::<T>::in_memory(reader.order()) {
        values.push(first);
        (in_memory.append)(&mut values, octets);
        *reader = ahead;
        return Some(values);
    }
    let values = match reader.order() {
        ByteOrder::NATIVE => read_values::<T, false>(values, first, octets, last_char),
        _ => read_values::<T, true>(values, first, octets, last_char),
    };
    if values.is_some() {
        *reader = ahead;
    }
    values
}

/// The values of a run, where they are in the buffer; none, without moving the reader, if they are not there as in memory.
#[inline]
fn borrow_run<'a, T: Wire + ?Sized>(
    reader: &mut CdrReader<'a>,
    count: usize,
) -> Option<&'a [T::Value]> {
    let in_memory = Run::<T>::in_memory(reader.order())?;
    if count == 0 || !reader.is_evenly_aligned() {
        return None;
    }
    let mut ahead = reader.clone();
    ahead.step(in_memory.first);
    ahead.align(in_memory.first);
    if !ahead.offset().is_multiple_of(Run::<T>::LAYOUT.alignment()) {
        // The first value has padding in it.
        return None;
    }
    let octets = ahead.take(count.checked_mul(Run::<T>::STRIDE)?, "sequence").ok()?;
    let values = (in_memory.values)(octets)?;
    *reader = ahead;
    Some(values)
}

/// The first value and those in `octets`, in `values`; `None` when one of them is invalid.
#[inline(never)]
fn read_values<T: Wire + ?Sized, const SWAP: bool>(
    mut values: Vec<T::Value>,
    first: T::Value,
    octets: &[u8],
    last_char: u8,
) -> Option<Vec<T::Value>> {
    values.push(first.clone());
    let mut good = true;
    values.extend(octets.chunks_exact(Run::<T>::STRIDE).map(|octets| {
        let (value, is_good) = read_value::<T, SWAP>(octets, last_char);
        good &= is_good & value.is_some();
        value.unwrap_or_else(|| first.clone())
    }));
    if !good {
        return None;
    }
    Some(values)
}

/// A value, and whether it is valid.
#[inline]
fn read_value<T: Wire + ?Sized, const SWAP: bool>(
    octets: &[u8],
    last_char: u8,
) -> (Option<T::Value>, bool) {
    // Always in range, which the compiler does not always see.
    let octets = octets.get(..Run::<T>::STRIDE).unwrap_or_default();
    let order = if SWAP { ByteOrder::NATIVE.swapped() } else { ByteOrder::NATIVE };
    let class = Run::<T>::CLASS;
    let mut reader = FixedReader::new(octets, class, order, last_char);
    let value = T::read_fixed(&mut reader);
    (value, !reader.has_refused())
}

/// Reads one value of a type with a layout. `None`, without moving the reader, when the caller has to
/// read it part by part, also to find which one fails.
#[inline]
pub(crate) fn read_one<T: Wire + ?Sized>(reader: &mut CdrReader<'_>) -> Option<T::Value> {
    if !reader.is_evenly_aligned() {
        return None;
    }
    let mut ahead = reader.clone();
    let class = reader.offset();
    let octets = ahead.take(Run::<T>::LAYOUT.size_at(class), "array").ok()?;
    let (order, last_char) = (reader.order(), reader.text().last_char());
    let mut fixed = FixedReader::new(octets, class, order, last_char);
    let value = T::read_fixed(&mut fixed)?;
    if fixed.has_refused() {
        return None;
    }
    *reader = ahead;
    Some(value)
}
