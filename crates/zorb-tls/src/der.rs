//! A DER parser for the names in a certificate.
//!
//! Certificates come from the network: malformed ones give `None`.

mod certificate;
mod name;

pub(crate) use certificate::names;

/// A reader of DER values.
#[derive(Clone, Copy, Debug)]
struct Der<'a>(&'a [u8]);

/// `SEQUENCE`.
const SEQUENCE: u8 = 0x30;
/// `SET`.
const SET: u8 = 0x31;
/// `OBJECT IDENTIFIER`.
const OID: u8 = 0x06;
/// `OCTET STRING`.
const OCTETS: u8 = 0x04;
/// `BOOLEAN`.
const BOOLEAN: u8 = 0x01;

impl<'a> Der<'a> {
    /// The next value: its tag and its octets.
    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (&tag, rest) = self.0.split_first()?;
        let (&first, rest) = rest.split_first()?;
        let (length, rest) = match first {
            0..=0x7f => (usize::from(first), rest),
            0x81..=0x83 => {
                let (length, rest) = rest.split_at_checked(usize::from(first - 0x80))?;
                (length.iter().fold(0, |sum, &octet| sum << 8 | usize::from(octet)), rest)
            }
            _ => return None,
        };
        let (value, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((tag, value))
    }

    /// The octets of the next value, which must have this tag.
    fn expect(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.next().filter(|(found, _)| *found == tag).map(|(_, value)| value)
    }

    /// A reader of the contents of the next value, which must have this tag.
    fn open(&mut self, tag: u8) -> Option<Self> {
        self.expect(tag).map(Self)
    }

    /// The next value if it has this tag; otherwise it is not consumed.
    fn optional(&mut self, tag: u8) -> Option<&'a [u8]> {
        if self.0.first() == Some(&tag) { self.next().map(|(_, value)| value) } else { None }
    }

    fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}
