//! Text on the wire: the code sets of a connection and how strings are framed in them.

mod narrow;
#[cfg(test)]
mod tests;
mod wide;

/// The transmission code set for `char` and `string` (TCS-C).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum CharSet {
    /// ISO 8859-1, one octet a character; what holds when nothing was negotiated.
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

/// How a GIOP version frames wide text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum WideForm {
    /// GIOP 1.0: there is none.
    Absent,
    /// GIOP 1.1: units of two octets in the message's byte order, counted, with a NUL unit.
    Units,
    /// GIOP 1.2: octets, counted, big-endian unless a byte-order mark says otherwise.
    #[default]
    Octets,
}

/// Everything that decides how text is written: code sets of the connection, form of the version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct TextCoding {
    /// The code set of `char` and `string`.
    pub char_set: CharSet,
    /// The code set of `wchar` and `wstring`; `None` until one was negotiated.
    pub wide_set: Option<WideSet>,
    /// How wide text is framed.
    pub wide_form: WideForm,
}

impl TextCoding {
    /// The coding inside encapsulations, which have no negotiation: ISO 8859-1, UTF-16, 1.2's form.
    pub const ENCAPSULATION: Self = Self {
        char_set: CharSet::Latin1,
        wide_set: Some(WideSet::Utf16),
        wide_form: WideForm::Octets,
    };

    /// Nothing is lost in it: UTF-8, UTF-16, 1.2's form.
    pub const UNICODE: Self = Self {
        char_set: CharSet::Utf8,
        wide_set: Some(WideSet::Utf16),
        wide_form: WideForm::Octets,
    };

    /// The last octet that is a character in itself, which all up to it are then.
    #[inline]
    pub(crate) const fn last_char(self) -> u8 {
        match self.char_set {
            CharSet::Latin1 => 0xff,
            CharSet::Utf8 => 0x7f,
        }
    }
}
