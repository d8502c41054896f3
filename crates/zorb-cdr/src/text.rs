//! Text: the code sets of a connection, and the encoding of strings in each GIOP version.

mod narrow;
#[cfg(test)]
mod tests;
pub(crate) mod wide;

/// The transmission code set for `char` and `string` (TCS-C).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum CharSet {
    /// ISO 8859-1, one octet a character; the default without negotiation.
    #[default]
    Latin1,
    /// UTF-8.
    Utf8,
}

/// The transmission code set for `wchar` and `wstring` (TCS-W).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WideSet {
    /// UTF-16, with surrogate pairs.
    Utf16,
    /// UCS-2: UTF-16 without surrogate pairs.
    Ucs2,
}

/// The encoding of wide text in a GIOP version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum WideForm {
    /// GIOP 1.0: no wide text.
    Absent,
    /// GIOP 1.1: two-octet code units in the byte order of the message, with a terminating NUL; the
    /// length counts units.
    Units,
    /// GIOP 1.2: big-endian unless there is a byte-order mark; the length counts octets.
    #[default]
    Octets,
}

/// How text is encoded: the code sets of the connection and the form of the GIOP version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct TextCoding {
    /// The code set of `char` and `string`.
    pub char_set: CharSet,
    /// The code set of `wchar` and `wstring`; `None` until one is negotiated.
    pub wide_set: Option<WideSet>,
    /// The encoding of wide text.
    pub wide_form: WideForm,
}

impl TextCoding {
    /// The coding inside encapsulations, where nothing is negotiated: ISO 8859-1, UTF-16, the form of
    /// GIOP 1.2.
    pub const ENCAPSULATION: Self = Self {
        char_set: CharSet::Latin1,
        wide_set: Some(WideSet::Utf16),
        wide_form: WideForm::Octets,
    };

    /// The lossless coding: UTF-8, UTF-16, the form of GIOP 1.2.
    pub const UNICODE: Self = Self {
        char_set: CharSet::Utf8,
        wide_set: Some(WideSet::Utf16),
        wide_form: WideForm::Octets,
    };

    /// The last octet that is a character by itself; so are all octets up to it.
    #[inline]
    pub(crate) const fn last_char(self) -> u8 {
        match self.char_set {
            CharSet::Latin1 => 0xff,
            CharSet::Utf8 => 0x7f,
        }
    }
}
