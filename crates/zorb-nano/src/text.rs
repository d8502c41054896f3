//! Text without memory of its own: as it is received, or bounded.

use core::fmt::{self, Write as _};

use arrayvec::ArrayVec;
use zorb_cdr::{CdrErrorKind, CdrResult, CdrWriter, CharSet};
use zorb_types::{CompletionStatus, Transfer};

use crate::SystemException;

/// The value of a `string`: text of the program, or borrowed from a message, where it is in ISO 8859-1.
#[derive(Clone, Copy)]
pub struct Text<'a>(Form<'a>);

#[derive(Clone, Copy)]
enum Form<'a> {
    Utf8(&'a str),
    /// Without NUL.
    Latin1(&'a [u8]),
}

impl<'a> Text<'a> {
    pub(crate) fn latin1(octets: &'a [u8]) -> Self {
        Self(Form::Latin1(octets))
    }

    /// Its characters.
    pub fn chars(self) -> impl Iterator<Item = char> + 'a {
        let (text, octets) = match self.0 {
            Form::Utf8(text) => (text, &[][..]),
            Form::Latin1(octets) => ("", octets),
        };
        text.chars().chain(octets.iter().map(|octet| char::from(*octet)))
    }

    /// The text as a `str`, if it does not have to be converted: it is the program's, or ASCII.
    pub fn as_str(self) -> Option<&'a str> {
        match self.0 {
            Form::Utf8(text) => Some(text),
            Form::Latin1(octets) if octets.is_ascii() => core::str::from_utf8(octets).ok(),
            Form::Latin1(_) => None,
        }
    }

    /// Octets of memory.
    pub(crate) fn size(self) -> usize {
        match self.0 {
            Form::Utf8(text) => text.len(),
            Form::Latin1(octets) => octets.len(),
        }
    }

    /// Octets of its encoding, at most.
    pub(crate) fn max_size(self) -> usize {
        match self.0 {
            Form::Utf8(text) => text.len(),
            // Two for a character that is not ASCII, in UTF-8.
            Form::Latin1(octets) if cfg!(feature = "lite") => octets.len().saturating_mul(2),
            Form::Latin1(octets) => octets.len(),
        }
    }

    pub(crate) fn write(self, writer: &mut CdrWriter<'_>, bound: u32) -> CdrResult<()> {
        // ASCII is the common case, and needs no second look.
        if self.size() > bound as usize && self.chars().count() > bound as usize {
            return Err(writer.error(CdrErrorKind::BoundExceeded, "string"));
        }
        match self.0 {
            Form::Utf8(text) => writer.write_str(text, u32::MAX),
            Form::Latin1(octets)
                if writer.text().char_set == CharSet::Utf8 && !octets.is_ascii() =>
            {
                let size: usize = self.chars().map(char::len_utf8).sum();
                writer.write_count(size.saturating_add(1), "string")?;
                self.chars().for_each(|char| {
                    writer.put(char.encode_utf8(&mut [0; 4]).as_bytes());
                });
                writer.write_u8(0);
                Ok(())
            }
            Form::Latin1(octets) => {
                writer.write_count(octets.len().saturating_add(1), "string")?;
                writer.put(octets);
                writer.write_u8(0);
                Ok(())
            }
        }
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self(Form::Utf8(text))
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.chars().eq(other.chars())
    }
}

impl Eq for Text<'_> {}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        *self == Text::from(other)
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == Text::from(*other)
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        self.chars().flat_map(char::escape_debug).try_for_each(|char| f.write_char(char))?;
        f.write_char('"')
    }
}

/// The value of a `string<N>` in a struct, an array or a sequence: up to `N` characters of ISO 8859-1.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct BoundedText<const N: usize>(ArrayVec<u8, N>);

impl<const N: usize> BoundedText<N> {
    /// A copy of `text`.
    ///
    /// # Errors
    /// `BAD_PARAM`, minor `BOUND_EXCEEDED`, for text that is too long; `DATA_CONVERSION` for a character that is not in
    /// ISO 8859-1; `BAD_PARAM` for a NUL.
    pub fn new<'t>(text: impl Into<Text<'t>>) -> Result<Self, SystemException> {
        Self::of(text.into()).map_err(refused)
    }

    fn of(text: Text<'_>) -> Result<Self, CdrErrorKind> {
        let mut octets = ArrayVec::new();
        for char in text.chars() {
            let octet = u8::try_from(char).map_err(|_| CdrErrorKind::BadText)?;
            if octet == 0 {
                return Err(CdrErrorKind::BadString);
            }
            octets.try_push(octet).map_err(|_| CdrErrorKind::BoundExceeded)?;
        }
        Ok(Self(octets))
    }

    /// Its text.
    pub fn text(&self) -> Text<'_> {
        Text::latin1(&self.0)
    }
}

impl<const N: usize> fmt::Debug for BoundedText<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

/// The exception for text that the program cannot send: a client before a call, or a servant in the course of one.
#[cold]
fn refused(kind: CdrErrorKind) -> SystemException {
    let nothing = &mut alloc::vec::Vec::new();
    let error = CdrWriter::new(nothing, zorb_cdr::ByteOrder::NATIVE).error(kind, "string");
    let completed = CompletionStatus::Maybe;
    SystemException { completed, ..SystemException::of_cdr(error, Transfer::SendRequest) }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use zorb_types::{CompletionStatus, SystemExceptionKind, minor};

    use super::{BoundedText, Text};

    #[test]
    fn text_is_the_same_in_both_encodings() {
        let received = Text::latin1(b"gr\xf6\xdfe");
        assert_eq!(received, "größe");
        assert_eq!(received, Text::from("größe"));
        assert_ne!(received, "größe ");
        assert_eq!(received.chars().collect::<String>(), "größe");
        assert_eq!((received.as_str(), Text::from("größe").as_str()), (None, Some("größe")));
        assert_eq!(Text::latin1(b"plain").as_str(), Some("plain"));
        assert_eq!(format!("{:?}", Text::latin1(b"a\"\xf6")), "\"a\\\"ö\"");
    }

    #[test]
    fn bounds_count_characters() {
        let text = BoundedText::<5>::new("größe").expect("five characters");
        assert_eq!(text.text(), "größe");
        let error = |text| BoundedText::<5>::new(text).expect_err("refused");
        assert_eq!(error("größen").minor, minor::bad_param::BOUND_EXCEEDED);
        assert_eq!(error("größen").completed, CompletionStatus::Maybe, "a servant may have worked");
        assert_eq!(error("東").kind, SystemExceptionKind::DataConversion);
        assert_eq!(error("a\0").kind, SystemExceptionKind::BadParam);
    }
}
