//! Strings, moved whole where both streams have the same code set.

use zorb_cdr::{CdrReader, CdrResult, CdrWriter, WideForm};

/// Moves a `string` of at most `bound` octets, or checks it where there is no writer.
///
/// # Errors
/// As its decoder, and as its encoder where the writer's stream cannot carry it.
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

/// Appends the octets of a string, which hold no NUL.
pub(crate) fn put(octets: &[u8], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    writer.write_count(octets.len() + 1, "string")?;
    writer.put(octets);
    writer.write_u8(0);
    Ok(())
}

/// Moves a `wstring` of at most `bound` code units, or checks it where there is no writer. Its
/// forms differ in byte order and GIOP version.
///
/// # Errors
/// As its decoder, and as its encoder where the writer's stream cannot carry it.
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

/// Moves a `wchar`.
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

/// Goes on in the next chunk where one has ended: a `wchar` is a number, or octets behind one.
pub(crate) fn step_to_wchar(reader: &mut CdrReader<'_>) {
    reader.step(if reader.text().wide_form == WideForm::Units { 2 } else { 1 });
}
