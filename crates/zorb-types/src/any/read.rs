//! Anys from octets of streams.

use zorb_cdr::{CdrReader, CdrResult, Number};

use super::octets::Octets;
use super::{Any, Form};
use crate::{Layout, TypeCode};

impl Any {
    /// Reads a value of a known type from a stream, without a TypeCode before it.
    ///
    /// # Errors
    /// As [`Layout::copy`].
    pub fn read_value(type_code: TypeCode, reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        Self::read_with(&Layout::of(&type_code), reader)
    }

    /// As [`read_value`](Self::read_value), with a layout that the caller has made before.
    ///
    /// # Errors
    /// As [`Layout::copy`].
    pub fn read_with(layout: &Layout, reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        if let Some(simple) = layout.simple()
            && reader.is_evenly_aligned()
            && !reader.is_in_chunks()
            && reader.is_in_one_piece()
        {
            let (rest, start) = (reader.rest(), reader.offset());
            simple.copy(reader, None)?;
            let octets = rest.get(..rest.len() - reader.remaining()).unwrap_or_default();
            return Self::copied(layout, octets, start, reader);
        }
        let retried = layout.retried();
        let layout = &*retried;
        let (mark, start) = (reader.mark(), reader.offset());
        let had_values = reader.has_values();
        let before = reader.take_first_target();
        let walked = layout.run(reader, None)?;
        let first_target = reader.take_first_target();
        if let Some(first) = before.into_iter().chain(first_target).min() {
            reader.note_target(first);
        }
        let traits = layout.traits();
        let octets = reader.since(&mark).filter(|octets| {
            let is_shared = first_target.is_some_and(|first| first < start)
                || (walked.is_opaque && had_values && may_refer_back(octets, start, reader));
            walked.verbatim && reader.is_evenly_aligned() && !is_shared
        });
        let Some(octets) = octets else {
            let octets = reader.vector(reader.offset().saturating_sub(start), "any")?;
            let type_code = layout.type_code().clone();
            let mut any = Self::image_in(octets, type_code, traits, |_, writer| {
                reader.rewind(&mark);
                layout.copy(reader, writer)
            })?;
            any.types = walked.types;
            return Ok(any);
        };
        let mut any = Self::copied(layout, octets, start, reader)?;
        any.form.has_values = walked.has_values;
        any.types = walked.types;
        Ok(any)
    }

    /// An any with octets of a stream from the offset `start` on.
    fn copied(
        layout: &Layout,
        octets: &[u8],
        start: usize,
        reader: &mut CdrReader<'_>,
    ) -> CdrResult<Self> {
        let traits = layout.traits();
        let form = Form {
            order: reader.order(),
            start: (start % 8) as u8,
            text: reader.text(),
            alignment: traits.alignment,
            has_text: traits.has_text,
            has_values: false,
        };
        let type_code = layout.type_code().clone();
        let octets = match Octets::inline(octets) {
            Some(octets) => octets,
            None => Octets::Heap(reader.copied(octets, "any")?),
        };
        Ok(Self { type_code, octets, form, types: None })
    }
}

/// Whether octets of unknown types may contain an indirection to a value before `start`, the offset of the
/// first octet. Two numbers that look like an indirection count as one.
fn may_refer_back(octets: &[u8], start: usize, reader: &CdrReader<'_>) -> bool {
    const INDIRECTION: i32 = -1;
    let skipped = start.next_multiple_of(4) - start;
    let (words, _) = octets.get(skipped..).unwrap_or_default().as_chunks::<4>();
    let number = |octets: &[u8; 4]| i32::from_octets(*octets, reader.order());
    let mut offset = start + skipped;
    words.windows(2).any(|pair| {
        offset += 4;
        let [tag, distance] = pair else { return false };
        let back = usize::try_from(number(distance).unsigned_abs()).unwrap_or(usize::MAX);
        number(tag) == INDIRECTION
            && number(distance) < 0
            && offset
                .checked_sub(back)
                .is_some_and(|target| target < start && reader.has_value_at(target))
    })
}
