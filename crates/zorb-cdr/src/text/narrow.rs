//! `char` and `string`.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::{CdrErrorKind, CdrReader, CdrResult, CdrWriter, CharSet};

impl<'a> CdrReader<'a> {
    /// A `char`: one octet of the connection's code set.
    ///
    /// # Errors
    /// `BadText` for an octet that is not a whole character; `Truncated`.
    #[inline]
    pub fn read_char(&mut self) -> CdrResult<char> {
        let octet = self.read_u8()?;
        match self.text().char_set {
            CharSet::Latin1 => Ok(char::from(octet)),
            CharSet::Utf8 if octet.is_ascii() => Ok(char::from(octet)),
            CharSet::Utf8 => Err(self.error(CdrErrorKind::BadText, "char")),
        }
    }

    /// The octets of a `string` without its terminating NUL.
    ///
    /// # Errors
    /// `BadString` for length 0, a missing terminator or a NUL inside, and in a
    /// [tail](Self::set_tail); `BoundExceeded` when longer than `bound` octets; `LengthBeyondEnd`, `Truncated`.
    #[inline]
    pub fn read_string_octets(&mut self, bound: u32, what: &'static str) -> CdrResult<&'a [u8]> {
        let count = self.read_count(1, what)?;
        self.take_string(count, bound, what)
    }

    /// The octets of a `string` of `count` octets, with its terminating NUL.
    #[inline]
    fn take_string(&mut self, count: usize, bound: u32, what: &'static str) -> CdrResult<&'a [u8]> {
        let octets = self.take(count, what)?;
        let fault = match octets.split_last() {
            Some((0, text)) if !text.contains(&0) && !self.is_in_tail() => {
                if text.len() <= bound as usize {
                    return Ok(text);
                }
                CdrErrorKind::BoundExceeded
            }
            _ => CdrErrorKind::BadString,
        };
        Err(self.error(fault, what))
    }

    /// The octets of a `string` that is ASCII, for callers that take them for text without looking at them again. `None`,
    /// without moving the reader, for another `string` and for what [`read_str`](Self::read_str) finds a fault with.
    ///
    /// Looking for octets that are not ASCII takes half of the instructions of looking for a NUL.
    #[doc(hidden)] // for zorb-interp
    pub fn ascii_string(&mut self, bound: u32) -> Option<&'a [u8]> {
        let (octets, end) = self.peek_counted()?;
        let (nul, text) = octets.split_last()?;
        if *nul != 0 || text.len() > bound as usize || self.is_in_tail() || !is_plain(text) {
            return None;
        }
        self.skip_to(end);
        Some(text)
    }

    /// A `string`, borrowed from the buffer if its octets are UTF-8.
    ///
    /// # Errors
    /// As [`read_string_octets`](Self::read_string_octets), and `BadText`.
    #[inline]
    pub fn read_str(&mut self, bound: u32) -> CdrResult<Cow<'a, str>> {
        let octets = self.read_string_octets(bound, "string")?;
        self.decode_text(octets)
    }

    /// As [`read_str`](Self::read_str), but compiled once, for code that is to be small. Text that is
    /// [ASCII](Self::ascii_string) may be copied.
    ///
    /// # Errors
    /// As [`read_str`](Self::read_str).
    #[doc(hidden)] // for zorb-interp
    #[cold]
    #[inline(never)]
    pub fn read_other_str(&mut self, bound: u32) -> CdrResult<Cow<'a, str>> {
        let count = self.read_count_by_call(1, "string")?;
        let octets = self.take_string(count, bound, "string")?;
        match self.text().char_set {
            CharSet::Latin1 => self.widened(octets, "string"),
            CharSet::Utf8 => self.utf8(octets),
        }
    }

    /// A `string` in ISO 8859-1, independent of the negotiated code set: operation names, repository ids, host names,
    /// which are ASCII in practice.
    ///
    /// # Errors
    /// As [`read_string_octets`](Self::read_string_octets).
    pub fn read_latin1(&mut self, what: &'static str) -> CdrResult<Cow<'a, str>> {
        let count = self.read_count(1, what)?;
        let octets = self.take(count, what)?;
        if self.is_in_tail() {
            return Err(self.error(CdrErrorKind::BadString, what));
        }
        if let Some((0, text)) = octets.split_last()
            && is_plain(text)
            && let Ok(text) = core::str::from_utf8(text)
        {
            return Ok(Cow::Borrowed(text));
        }
        self.latin1_string(octets, what)
    }

    /// [`read_latin1`](Self::read_latin1) as a `String`, whose memory is charged.
    ///
    /// # Errors
    /// As [`read_string_octets`](Self::read_string_octets), and `OutOfMemory`.
    pub fn read_latin1_owned(&mut self, what: &'static str) -> CdrResult<String> {
        match self.read_latin1(what)? {
            Cow::Borrowed(text) => self.copied_text(text, what),
            Cow::Owned(text) => Ok(text),
        }
    }

    /// A string that is not ASCII, or malformed.
    #[cold]
    fn latin1_string(&mut self, octets: &'a [u8], what: &'static str) -> CdrResult<Cow<'a, str>> {
        match octets.split_last() {
            Some((0, text)) if !text.contains(&0) => self.latin1(text, what),
            _ => Err(self.error(CdrErrorKind::BadString, what)),
        }
    }

    #[inline]
    fn decode_text(&mut self, octets: &'a [u8]) -> CdrResult<Cow<'a, str>> {
        match self.text().char_set {
            CharSet::Latin1 => self.latin1(octets, "string"),
            CharSet::Utf8 => self.utf8(octets),
        }
    }

    #[inline]
    fn utf8(&self, octets: &'a [u8]) -> CdrResult<Cow<'a, str>> {
        match core::str::from_utf8(octets) {
            Ok(text) => Ok(Cow::Borrowed(text)),
            Err(_) => Err(self.error(CdrErrorKind::BadText, "string")),
        }
    }

    /// ISO 8859-1 octets as text, borrowed if they are ASCII.
    fn latin1(&mut self, octets: &'a [u8], what: &'static str) -> CdrResult<Cow<'a, str>> {
        match core::str::from_utf8(octets) {
            Ok(text) if octets.is_ascii() => Ok(Cow::Borrowed(text)),
            _ => self.widened(octets, what),
        }
    }

    /// ISO 8859-1 octets that are not ASCII, as text.
    #[cold]
    #[inline(never)]
    fn widened(&mut self, octets: &'a [u8], what: &'static str) -> CdrResult<Cow<'a, str>> {
        let others = octets.iter().filter(|octet| !octet.is_ascii()).count();
        let mut text = self.string(octets.len() + others, what)?;
        text.extend(octets.iter().copied().map(char::from));
        Ok(Cow::Owned(text))
    }
}

/// Whether all octets are ASCII and none is NUL: unsafe code of zorb-interp takes them for UTF-8. It looks at eight octets
/// at a time, as names are short.
#[inline]
fn is_plain(octets: &[u8]) -> bool {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGHEST: u64 = u64::from_ne_bytes([0x80; 8]);
    // Subtracting one from each octet makes a NUL borrow, which sets its highest bit.
    let has_other = |word: &[u8; 8]| {
        let word = u64::from_ne_bytes(*word);
        (word | word.wrapping_sub(ONES)) & HIGHEST != 0
    };
    let (words, rest) = octets.as_chunks::<8>();
    if words.iter().any(has_other) {
        return false;
    }
    match octets.last_chunk() {
        // Some of these octets are looked at again.
        Some(last) => !has_other(last),
        None => rest.iter().all(|octet| octet.wrapping_sub(1) < 0x7f),
    }
}

impl CdrWriter<'_> {
    /// A `char`.
    ///
    /// # Errors
    /// `BadText` when the code set needs more than one octet for it.
    #[inline]
    pub fn write_char(&mut self, value: char) -> CdrResult<()> {
        let octet = match self.text().char_set {
            CharSet::Latin1 => u8::try_from(value).ok(),
            CharSet::Utf8 => value.is_ascii().then_some(value as u8),
        };
        match octet {
            Some(octet) => {
                self.write_u8(octet);
                Ok(())
            }
            None => Err(self.error(CdrErrorKind::BadText, "char")),
        }
    }

    /// A `string` of at most `bound` octets (`u32::MAX` when unbounded).
    ///
    /// # Errors
    /// `BadString` for a NUL inside; `BadText` for a character that the code set does not have;
    /// `BoundExceeded`, `TooLong`.
    pub fn write_str(&mut self, value: &str, bound: u32) -> CdrResult<()> {
        let is_plain = is_plain(value.as_bytes());
        if !is_plain && self.text().char_set == CharSet::Latin1 && !value.is_ascii() {
            return self.write_as_latin1(value, bound);
        }
        if value.len() > bound as usize {
            return Err(self.error(CdrErrorKind::BoundExceeded, "string"));
        }
        if !is_plain && value.as_bytes().contains(&0) {
            return Err(self.error(CdrErrorKind::BadString, "string"));
        }
        self.reserve_capacity(value.len() + 12, "string")?;
        self.write_count(value.len() + 1, "string")?;
        self.put(value.as_bytes());
        self.write_u8(0);
        Ok(())
    }

    #[cold]
    fn write_as_latin1(&mut self, value: &str, bound: u32) -> CdrResult<()> {
        let count = character_count(value);
        if count > bound as usize {
            return Err(self.error(CdrErrorKind::BoundExceeded, "string"));
        }
        self.reserve_capacity(count + 12, "string")?;
        self.write_count(count + 1, "string")?;
        for character in value.chars() {
            match u8::try_from(character) {
                Ok(0) => return Err(self.error(CdrErrorKind::BadString, "string")),
                Ok(octet) => self.write_u8(octet),
                Err(_) => return Err(self.error(CdrErrorKind::BadText, "string")),
            }
        }
        self.write_u8(0);
        Ok(())
    }

    /// A `string` in ISO 8859-1, whatever code set is negotiated: operation names, repository ids.
    ///
    /// # Errors
    /// `BadString` for a NUL inside; `BadText` for a character that ISO 8859-1 does not have; `TooLong`.
    pub fn write_latin1(&mut self, value: &str) -> CdrResult<()> {
        if !is_plain(value.as_bytes()) {
            return self.write_as_latin1(value, u32::MAX);
        }
        self.write_count(value.len() + 1, "string")?;
        self.put(value.as_bytes());
        self.write_u8(0);
        Ok(())
    }
}

/// The number of characters. `chars().count()` has half a kilobyte of code, for long text.
fn character_count(text: &str) -> usize {
    text.bytes().filter(|octet| octet & 0b1100_0000 != 0b1000_0000).count()
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn names_are_plain_and_nothing_else_is() {
        for length in 0..20 {
            let text = [b'a'; 20];
            assert!(is_plain(&text[..length]));
            for index in 0..length {
                for octet in 0..=u8::MAX {
                    let mut text = text;
                    text[index] = octet;
                    let expected = octet.is_ascii() && octet != 0;
                    assert_eq!(is_plain(&text[..length]), expected, "{octet} at {index}");
                }
            }
        }
    }
}
