//! Strings in memory: read to memory of their own or borrowed, and dropped.

use alloc::alloc::alloc;
use alloc::borrow::Cow;
use alloc::string::String;
use core::alloc::Layout;

use zorb_cdr::{CdrReader, CdrResult, SHORT_TEXT};

/// Reads a string of at most `bound` octets to `to`.
///
/// # Safety
/// A `String` may be written to `to`.
#[inline(never)] // for sequences and structs, too
pub(super) unsafe fn read_string(
    bound: u32,
    to: *mut String,
    reader: &mut CdrReader<'_>,
) -> CdrResult<()> {
    reader.step(4);
    let text = match reader.ascii_string(bound.min(SHORT_TEXT as u32)) {
        Some(octets) => {
            // SAFETY: `CdrReader::ascii_string` guarantees ASCII.
            let text = unsafe { core::str::from_utf8_unchecked(octets) };
            if let Some(text) = short_copy(text) {
                // SAFETY: as the caller guarantees.
                unsafe { to.write(text) };
                return Ok(());
            }
            Cow::Borrowed(text)
        }
        None => read_text(bound, reader)?,
    };
    let text = reader.own_text(text)?;
    // SAFETY: as the caller guarantees.
    unsafe { to.write(text) };
    Ok(())
}

/// A copy of text that is so short that its memory is not charged. None of the empty one, and without memory.
///
/// `CdrReader::own_text` takes 60 instructions more, most of them for a `String` that may have grown before.
#[inline]
fn short_copy(text: &str) -> Option<String> {
    let count = text.len();
    if count == 0 {
        return None;
    }
    let layout = Layout::array::<u8>(count).ok()?;
    // SAFETY: the size is not 0.
    let data = unsafe { alloc(layout) };
    if data.is_null() {
        return None;
    }
    // SAFETY: there is room for so many octets, in memory that was just allocated.
    unsafe { data.copy_from_nonoverlapping(text.as_ptr(), count) };
    // SAFETY: the memory was allocated with this capacity, and all of it is text.
    Some(unsafe { String::from_raw_parts(data, count, count) })
}

/// Reads a string of at most `bound` octets, borrowed from those of the reader if it can be.
#[inline(never)] // as `read_string`
pub(super) fn read_text<'a>(bound: u32, reader: &mut CdrReader<'a>) -> CdrResult<Cow<'a, str>> {
    reader.step(4);
    match reader.ascii_string(bound) {
        // SAFETY: `CdrReader::ascii_string` guarantees ASCII.
        Some(octets) => Ok(Cow::Borrowed(unsafe { core::str::from_utf8_unchecked(octets) })),
        None => reader.read_other_str(bound),
    }
}
