//! The encoding of what a repository stores.
//!
//! A value begins with an octet for the version of its format, 1. Numbers have eight octets, the lowest first; text has
//! its length before it.

/// The version of values.
const VERSION: u8 = 1;

/// Writes a value.
#[derive(Debug)]
pub(super) struct Encoder(Vec<u8>);

impl Default for Encoder {
    fn default() -> Self {
        Self(vec![VERSION])
    }
}

impl Encoder {
    pub(super) fn number(&mut self, number: u64) -> &mut Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    pub(super) fn octets(&mut self, octets: &[u8]) -> &mut Self {
        self.number(octets.len() as u64);
        self.0.extend_from_slice(octets);
        self
    }

    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.octets(text.as_bytes())
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Reads a value.
#[derive(Debug)]
pub(super) struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    pub(super) fn new(octets: &'a [u8]) -> Option<Self> {
        let (version, rest) = octets.split_first()?;
        (*version == VERSION).then_some(Self(rest))
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    pub(super) fn octets(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (octets, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(octets)
    }

    pub(super) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.octets()?.to_vec()).ok()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value, if nothing is left.
    pub(super) fn finish<T>(self, value: T) -> Option<T> {
        self.0.is_empty().then_some(value)
    }
}
