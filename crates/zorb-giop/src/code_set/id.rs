//! Code set ids.

use core::fmt;

/// A code set by its number in the OSF registry (`CONV_FRAME::CodeSetId`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeSetId(pub u32);

macro_rules! code_sets {
    ($($(#[$doc:meta])* $name:ident = $value:literal, $text:literal;)*) => {
        impl CodeSetId {
            $($(#[$doc])* pub const $name: Self = Self($value);)*

            /// The common name of the code set, if it is known.
            pub const fn name(self) -> Option<&'static str> {
                Some(match self.0 {
                    $($value => $text,)*
                    _ => return None,
                })
            }
        }
    };
}

code_sets! {
    /// ISO 8859-1, Western European: the default without negotiation.
    ISO_8859_1 = 0x0001_0001, "ISO 8859-1";
    /// ISO 8859-2, Central European.
    ISO_8859_2 = 0x0001_0002, "ISO 8859-2";
    /// ISO 8859-3, South European.
    ISO_8859_3 = 0x0001_0003, "ISO 8859-3";
    /// ISO 8859-4, North European.
    ISO_8859_4 = 0x0001_0004, "ISO 8859-4";
    /// ISO 8859-5, Cyrillic.
    ISO_8859_5 = 0x0001_0005, "ISO 8859-5";
    /// ISO 8859-6, Arabic.
    ISO_8859_6 = 0x0001_0006, "ISO 8859-6";
    /// ISO 8859-7, Greek.
    ISO_8859_7 = 0x0001_0007, "ISO 8859-7";
    /// ISO 8859-8, Hebrew.
    ISO_8859_8 = 0x0001_0008, "ISO 8859-8";
    /// ISO 8859-9, Turkish.
    ISO_8859_9 = 0x0001_0009, "ISO 8859-9";
    /// ISO 8859-10, Nordic.
    ISO_8859_10 = 0x0001_000a, "ISO 8859-10";
    /// ISO 8859-15, Western European with the euro sign.
    ISO_8859_15 = 0x0001_000f, "ISO 8859-15";
    /// ISO 646, international reference version: ASCII.
    ISO_646_IRV = 0x0001_0020, "ISO 646 IRV (ASCII)";
    /// UCS-2, level 1.
    UCS_2_LEVEL_1 = 0x0001_0100, "UCS-2 level 1";
    /// UCS-2, level 2.
    UCS_2_LEVEL_2 = 0x0001_0101, "UCS-2 level 2";
    /// UCS-2, level 3.
    UCS_2_LEVEL_3 = 0x0001_0102, "UCS-2 level 3";
    /// UCS-4, level 1.
    UCS_4_LEVEL_1 = 0x0001_0104, "UCS-4 level 1";
    /// UCS-4, level 2.
    UCS_4_LEVEL_2 = 0x0001_0105, "UCS-4 level 2";
    /// UCS-4, level 3.
    UCS_4_LEVEL_3 = 0x0001_0106, "UCS-4 level 3";
    /// UTF-16.
    UTF_16 = 0x0001_0109, "UTF-16";
    /// UTF-8.
    UTF_8 = 0x0501_0001, "UTF-8";
    /// EBCDIC, code page 037.
    EBCDIC_037 = 0x1002_0025, "EBCDIC 037";
    /// EBCDIC, code page 500.
    EBCDIC_500 = 0x1002_01f8, "EBCDIC 500";
    /// Windows code page 1250.
    WINDOWS_1250 = 0x1002_04e2, "Windows 1250";
    /// Windows code page 1251.
    WINDOWS_1251 = 0x1002_04e3, "Windows 1251";
    /// Windows code page 1252.
    WINDOWS_1252 = 0x1002_04e4, "Windows 1252";
    /// Windows code page 1253.
    WINDOWS_1253 = 0x1002_04e5, "Windows 1253";
    /// Windows code page 1254.
    WINDOWS_1254 = 0x1002_04e6, "Windows 1254";
    /// Windows code page 1255.
    WINDOWS_1255 = 0x1002_04e7, "Windows 1255";
    /// Windows code page 1256.
    WINDOWS_1256 = 0x1002_04e8, "Windows 1256";
    /// Windows code page 1257.
    WINDOWS_1257 = 0x1002_04e9, "Windows 1257";
    /// Windows code page 1258.
    WINDOWS_1258 = 0x1002_04ea, "Windows 1258";
}

impl CodeSetId {
    /// No code set: in a context without a wide code set.
    pub const NONE: Self = Self(0);
}

impl fmt::Display for CodeSetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "code set {:#010x}", self.0),
        }
    }
}

impl fmt::Debug for CodeSetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CodeSetId({self})")
    }
}
