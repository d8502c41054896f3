//! Strings in memory: read to memory of their own or borrowed, and dropped.

use alloc::alloc::alloc;
use alloc::borrow::Cow;
use alloc::string::String;
use core::alloc::Layout;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, SHORT_TEXT};

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
    let Some(octets) = reader.ascii_string(bound.min(SHORT_TEXT as u32)) else {
        let text = read_text(bound, reader)?;
        let text = reader.own_text(text)?;
        // SAFETY: as the caller guarantees.
        unsafe { to.write(text) };
        return Ok(());
    };
    // `CdrReader::own_text` takes 60 instructions more, most of them for a `String` that may have grown before.
    let count = octets.len();
    let Some(data) = allocate(count) else {
        return Err(reader.error(CdrErrorKind::OutOfMemory, "string"));
    };
    // SAFETY: there is room for so many octets, in memory that was just allocated.
    unsafe { data.copy_from_nonoverlapping(octets.as_ptr(), count) };
    // SAFETY: the memory has this capacity, and all of it is text: `CdrReader::ascii_string` guarantees ASCII.
    let text = unsafe { String::from_raw_parts(data, count, count) };
    // SAFETY: as the caller guarantees.
    unsafe { to.write(text) };
    Ok(())
}

/// The memory of a `String` of this capacity.
#[inline]
fn allocate(count: usize) -> Option<*mut u8> {
    if count == 0 {
        return Some(core::ptr::dangling_mut());
    }
    let layout = Layout::array::<u8>(count).ok()?;
    // SAFETY: the size is not 0.
    let data = unsafe { alloc(layout) };
    (!data.is_null()).then_some(data)
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
