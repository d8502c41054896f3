//! Operation names.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;
use core::ops::Deref;

use zorb_cdr::{CdrReader, CdrResult};

use crate::Destination;

/// The operation name in a received request, borrowed from the message if it is ASCII, as IDL names are.
///
/// An operation lookup should compare the [octets](Self::as_bytes): the conversion to text validates
/// them once more.
#[derive(Clone)]
pub struct OperationName<'a>(Kind<'a>);

#[derive(Clone)]
enum Kind<'a> {
    /// ASCII without NUL.
    Ascii(&'a [u8]),
    /// The operation of earlier requests.
    Remembered(&'a Destination),
    Other(Cow<'a, str>),
}

impl<'a> OperationName<'a> {
    /// An empty name, which no operation has.
    pub const EMPTY: Self = Self(Kind::Ascii(&[]));

    /// Reads a `string` of ISO 8859-1.
    ///
    /// # Errors
    /// `BadString` without a terminating NUL, or with a NUL inside; `LengthBeyondEnd`, `Truncated`.
    #[inline]
    pub fn read(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        reader.read_latin1("operation").map(Self::from)
    }

    /// The name in these octets, if they are ASCII and none is a NUL.
    #[inline]
    pub(crate) fn of_ascii(octets: &'a [u8]) -> Option<Self> {
        is_plain(octets).then_some(Self(Kind::Ascii(octets)))
    }

    /// The destination of earlier requests on the connection, if the request refers to it by an index.
    #[inline]
    pub fn destination(&self) -> Option<&'a Destination> {
        match &self.0 {
            Kind::Remembered(destination) => Some(destination),
            _ => None,
        }
    }

    /// The octets of the name in UTF-8, which are those on the wire if the name is ASCII.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Kind::Ascii(octets) => octets,
            Kind::Remembered(destination) => destination.operation().as_bytes(),
            Kind::Other(text) => text.as_bytes(),
        }
    }

    /// The same, if they are [borrowed](Self::is_borrowed): they are valid for longer than this is.
    #[inline]
    pub fn as_borrowed_bytes(&self) -> Option<&'a [u8]> {
        match &self.0 {
            Kind::Ascii(octets) => Some(octets),
            Kind::Remembered(destination) => Some(destination.operation().as_bytes()),
            Kind::Other(Cow::Borrowed(text)) => Some(text.as_bytes()),
            Kind::Other(Cow::Owned(_)) => None,
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Kind::Ascii(octets) => core::str::from_utf8(octets).unwrap_or_default(),
            Kind::Remembered(destination) => destination.operation(),
            Kind::Other(text) => text,
        }
    }

    /// The name without a borrow.
    pub fn into_owned(self) -> String {
        self.as_str().into()
    }

    /// Whether it is borrowed, in most cases from the message.
    pub fn is_borrowed(&self) -> bool {
        !matches!(self.0, Kind::Other(Cow::Owned(_)))
    }
}

impl Deref for OperationName<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl<'a> From<Cow<'a, str>> for OperationName<'a> {
    #[inline]
    fn from(text: Cow<'a, str>) -> Self {
        Self(Kind::Other(text))
    }
}

impl<'a> From<&'a str> for OperationName<'a> {
    fn from(text: &'a str) -> Self {
        Self(Kind::Other(Cow::Borrowed(text)))
    }
}

impl<'a> From<&'a Destination> for OperationName<'a> {
    #[inline]
    fn from(destination: &'a Destination) -> Self {
        Self(Kind::Remembered(destination))
    }
}

impl PartialEq for OperationName<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for OperationName<'_> {}

impl PartialEq<str> for OperationName<'_> {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for OperationName<'_> {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl fmt::Debug for OperationName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for OperationName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

/// Whether all octets are ASCII and none is NUL. It looks at eight octets at a time; the last eight may
/// overlap with those before.
#[inline]
fn is_plain(octets: &[u8]) -> bool {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGHEST: u64 = u64::from_ne_bytes([0x80; 8]);
    // Subtracting one from each octet makes a NUL borrow, which sets its highest bit.
    let is_plain = |word: u64| (word.wrapping_sub(ONES) | word) & HIGHEST == 0;
    if let Some(last) = octets.last_chunk::<8>() {
        let (words, _) = octets.as_chunks::<8>();
        return words.iter().all(|word| is_plain(u64::from_ne_bytes(*word)))
            && is_plain(u64::from_ne_bytes(*last));
    }
    match (octets.first_chunk::<4>(), octets.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            let [first, last] = [first, last].map(|octets| u64::from(u32::from_ne_bytes(*octets)));
            is_plain(first | last << 32)
        }
        _ => octets.iter().all(|octet| (1..0x80).contains(octet)),
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn names_are_plain_if_each_of_their_octets_is() {
        for length in 0..20 {
            let plain: Vec<u8> = (0..length).map(|at| b'a' + at).collect();
            assert!(is_plain(&plain));
            for at in 0..plain.len() {
                for (octet, expected) in [(0, false), (1, true), (0x7f, true), (0x80, false)] {
                    let mut other = plain.clone();
                    other[at] = octet;
                    assert_eq!(is_plain(&other), expected, "{other:?}");
                }
            }
        }
    }

    #[test]
    fn names_are_equal_in_all_representations() {
        let ascii = OperationName::of_ascii(b"add").unwrap();
        assert_eq!(ascii, "add");
        assert_eq!(ascii, OperationName::from("add"));
        assert_eq!((ascii.as_str(), ascii.is_borrowed()), ("add", true));
        assert_eq!(ascii.into_owned(), "add");
        assert!(OperationName::of_ascii("größe".as_bytes()).is_none());
        let other = |text: Cow<'static, str>| OperationName::from(text);
        assert_eq!(other("größe".into()).as_borrowed_bytes(), Some("größe".as_bytes()));
        assert_eq!(other(String::from("größe").into()).as_borrowed_bytes(), None);
        assert_eq!(OperationName::EMPTY.as_str(), "");
        let destination = Destination::new(b"key", "add");
        let remembered = OperationName::from(&destination);
        assert_eq!((&remembered, remembered.is_borrowed()), (&OperationName::from("add"), true));
        assert!(remembered.destination().is_some());
        assert!(OperationName::EMPTY.destination().is_none());
    }
}
