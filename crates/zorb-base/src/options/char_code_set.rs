//! The option `NativeCharCodeSet`.

use zorb_giop::CodeSetId;

/// The native code set of `char` and `string`, which the ORB's references publish and its clients prefer.
///
/// Text is Unicode in Rust. With UTF-8, messages carry any string, but a `char` only if it is ASCII, since it
/// is one octet. With ISO 8859-1, they carry the characters up to `ÿ`, also as `char`. If client and server
/// have different native code sets, they use one that both can convert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CharCodeSet {
    /// UTF-8. The default.
    #[default]
    Utf8,
    /// ISO 8859-1, also called Latin-1.
    Latin1,
}

zorb_transport::option_words!(CharCodeSet {
    "utf-8" => Utf8,
    "iso-8859-1" => Latin1,
});

impl CharCodeSet {
    /// The number of the code set.
    pub const fn id(self) -> CodeSetId {
        match self {
            Self::Utf8 => CodeSetId::UTF_8,
            Self::Latin1 => CodeSetId::ISO_8859_1,
        }
    }
}
