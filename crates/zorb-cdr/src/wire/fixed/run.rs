//! Runs of values of a fixed-size type.

use alloc::vec::Vec;
use core::marker::PhantomData;

use super::{FixedLayout, FixedReader, FixedWriter};
use crate::writer::BLOCK;
use crate::{ByteOrder, CdrReader, CdrResult, CdrWriter, Wire};

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
}

/// Appends values of a type with a layout.
pub(in crate::wire) fn write_run<T: Wire + ?Sized>(
    values: &[T::Value],
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    // The padding of the first value differs from that of the others.
    let Some((first, others)) = values.split_first() else { return Ok(()) };
    T::write(T::view(first), writer)?;
    if others.is_empty() {
        return Ok(());
    }
    writer.reserve_capacity(others.len().saturating_mul(Run::<T>::STRIDE));
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

#[inline(always)]
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
            let mut fixed = FixedWriter { octets, position: 0, class, order, last_char };
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
pub(in crate::wire) fn read_run<T: Wire + ?Sized>(
    reader: &mut CdrReader<'_>,
    count: usize,
) -> Option<Vec<T::Value>> {
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
    let values = match reader.order() {
        ByteOrder::NATIVE => read_values::<T, false>(first, octets, last_char),
        _ => read_values::<T, true>(first, octets, last_char),
    };
    if values.is_some() {
        *reader = ahead;
    }
    values
}

/// The first value and those in `octets`; `None` when one of them is invalid.
#[inline(never)]
fn read_values<T: Wire + ?Sized, const SWAP: bool>(
    first: T::Value,
    octets: &[u8],
    last_char: u8,
) -> Option<Vec<T::Value>> {
    let others = || {
        let others = octets.chunks_exact(Run::<T>::STRIDE);
        others.map(|octets| read_value::<T, SWAP>(octets, last_char))
    };
    // Two simple passes: the compiler reduces the first to the checks, and the second has none.
    if !others().fold(true, |good, (value, is_good)| good & is_good & value.is_some()) {
        return None;
    }
    let mut values = Vec::with_capacity(1 + others().len());
    values.push(first.clone());
    values.extend(others().map(|(value, _)| value.unwrap_or_else(|| first.clone())));
    Some(values)
}

/// A value, and whether it is valid.
#[inline(always)]
fn read_value<T: Wire + ?Sized, const SWAP: bool>(
    octets: &[u8],
    last_char: u8,
) -> (Option<T::Value>, bool) {
    // Always in range, which the compiler does not always see.
    let octets = octets.get(..Run::<T>::STRIDE).unwrap_or_default();
    let order = if SWAP { ByteOrder::NATIVE.swapped() } else { ByteOrder::NATIVE };
    let class = Run::<T>::CLASS;
    let mut reader = FixedReader { octets, position: 0, class, order, last_char, refused: false };
    let value = T::read_fixed(&mut reader);
    (value, !reader.refused)
}

/// Reads one value of a type with a layout. `None`, without moving the reader, when the caller has to
/// read it part by part, also to find which one fails.
#[inline]
pub(in crate::wire) fn read_one<T: Wire + ?Sized>(reader: &mut CdrReader<'_>) -> Option<T::Value> {
    if !reader.is_evenly_aligned() {
        return None;
    }
    let mut ahead = reader.clone();
    let class = reader.offset();
    let octets = ahead.take(Run::<T>::LAYOUT.size_at(class), "array").ok()?;
    let (order, last_char) = (reader.order(), reader.text().last_char());
    let mut fixed = FixedReader { octets, position: 0, class, order, last_char, refused: false };
    let value = T::read_fixed(&mut fixed)?;
    if fixed.refused {
        return None;
    }
    *reader = ahead;
    Some(value)
}
