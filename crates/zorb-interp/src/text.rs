//! Strings and wide text, which are decoded only when the code sets of the streams differ.

use zorb_cdr::{CdrReader, CdrResult, CdrWriter, WideForm};

/// Copies a `string` of at most `bound` octets. Without a writer, checks and skips it.
///
/// # Errors
/// As [`CdrReader::read_str`] and [`CdrWriter::write_str`].
pub fn copy_string(
    bound: u32,
    reader: &mut CdrReader<'_>,
    writer: Option<&mut CdrWriter<'_>>,
) -> CdrResult<()> {
    reader.step(4);
    let mut ahead = reader.clone();
    let octets = ahead.read_string_octets(bound, "string")?;
    // ASCII is the same in every code set.
    if octets.is_ascii() {
        *reader = ahead;
        return match writer {
            Some(writer) => put(octets, writer),
            None => Ok(()),
        };
    }
    let text = reader.read_str(bound)?;
    match writer {
        Some(writer) if writer.text().char_set == reader.text().char_set => put(octets, writer),
        Some(writer) => writer.write_str(&text, bound),
        None => Ok(()),
    }
}

/// Appends a string, whose octets contain no NUL.
pub(crate) fn put(octets: &[u8], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    writer.write_count(octets.len() + 1, "string")?;
    writer.put(octets);
    writer.write_u8(0);
    Ok(())
}

/// Copies a `wstring` of at most `bound` code units, whose encoding depends on byte order and GIOP
/// version. Without a writer, checks and skips it.
///
/// # Errors
/// As [`CdrReader::read_wstring`] and [`CdrWriter::write_wstring`].
pub fn copy_wstring(
    bound: u32,
    reader: &mut CdrReader<'_>,
    writer: Option<&mut CdrWriter<'_>>,
) -> CdrResult<()> {
    reader.step(4);
    let text = reader.read_wstring(bound)?;
    match writer {
        Some(writer) => writer.write_wstring(&text, bound),
        None => Ok(()),
    }
}

/// Copies a `wchar`.
pub(crate) fn wchar(
    reader: &mut CdrReader<'_>,
    writer: Option<&mut CdrWriter<'_>>,
) -> CdrResult<()> {
    step_to_wchar(reader);
    let character = reader.read_wchar()?;
    match writer {
        Some(writer) => writer.write_wchar(character),
        None => Ok(()),
    }
}

/// [`CdrReader::step`] before a `wchar`, which is a number in GIOP 1.1 and octets in 1.2.
pub(crate) fn step_to_wchar(reader: &mut CdrReader<'_>) {
    reader.step(if reader.text().wide_form == WideForm::Units { 2 } else { 1 });
}
