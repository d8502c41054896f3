//! Runs of values of a fixed-size type.

use alloc::vec::Vec;
use core::marker::PhantomData;

use super::{FixedLayout, FixedReader, FixedWriter};
use crate::{ByteOrder, CdrReader, CdrResult, CdrWriter, CharSet, Wire};

/// Octets that are filled with zeros at a time, to be written over while they are in the cache.
const BLOCK: usize = 4096;

/// What is constant in a run of `T`.
struct Run<T: ?Sized>(PhantomData<T>);

impl<T: Wire + ?Sized> Run<T> {
    const LAYOUT: FixedLayout = match T::LAYOUT {
        Some(layout) => layout,
        // Never used: there are no runs of such a type.
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
    // The first has padding of its own, and leads to the place where the others are alike.
    let Some((first, others)) = values.split_first() else { return Ok(()) };
    T::write(T::view(first), writer)?;
    if others.is_empty() {
        return Ok(());
    }
    writer.make_room(others.len().saturating_mul(Run::<T>::STRIDE));
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
    let last_char = match writer.text().char_set {
        CharSet::Latin1 => '\u{ff}',
        CharSet::Utf8 => '\u{7f}',
    };
    for block in values.chunks(Run::<T>::PER_BLOCK) {
        let start = writer.mark();
        let room = writer.reserve(block.len().saturating_mul(stride));
        let mut places = room.chunks_exact_mut(stride).zip(block);
        let written = places.all(|(room, value)| {
            let mut room = FixedWriter { room, position: 0, class, order, last_char };
            T::place(value, &mut room).is_some()
        });
        if !written {
            // One by one, to find out what is wrong with which.
            writer.back_to(start);
            block.iter().try_for_each(|value| T::write(T::view(value), writer))?;
        }
    }
    Ok(())
}

/// Takes `count` values of a type with a layout; `None`, with nothing taken, when they have to be
/// read one by one, be it to find out what is wrong with them.
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
    // All of them are here, so the memory for them is not claimed by a mere number.
    let octets = ahead.take(others.checked_mul(Run::<T>::STRIDE)?, "sequence").ok()?;
    let last_char = match reader.text().char_set {
        CharSet::Latin1 => 0xff,
        CharSet::Utf8 => 0x7f,
    };
    let mut values = Vec::with_capacity(count);
    values.push(first);
    match reader.order() {
        ByteOrder::NATIVE => pick::<T>(octets, ByteOrder::NATIVE, last_char, &mut values),
        _ => pick_swapped::<T>(octets, last_char, &mut values),
    }
    if values.len() != count {
        return None;
    }
    *reader = ahead;
    Some(values)
}

#[inline(never)]
fn pick_swapped<T: Wire + ?Sized>(octets: &[u8], last_char: u8, values: &mut Vec<T::Value>) {
    pick::<T>(octets, ByteOrder::NATIVE.swapped(), last_char, values);
}

/// Appends the values in `octets` up to the first that is none.
#[inline(always)]
fn pick<T: Wire + ?Sized>(
    octets: &[u8],
    order: ByteOrder,
    last_char: u8,
    values: &mut Vec<T::Value>,
) {
    for octets in octets.chunks_exact(Run::<T>::STRIDE) {
        let mut octets =
            FixedReader { octets, position: 0, class: Run::<T>::CLASS, order, last_char };
        match T::pick(&mut octets) {
            Some(value) => values.push(value),
            None => return,
        }
    }
}
