//! The operations of peers.

use std::fmt;
use std::str::FromStr;

/// The type of an operation's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// The operation has no argument.
    None,
    /// `short`.
    Short,
    /// `char`.
    Char,
    /// `long`.
    Long,
    /// `octet`.
    Octet,
    /// `double`.
    Double,
    /// `Bench::BinStruct`.
    Struct,
    /// `Bench::PaddedStruct`.
    Padded,
    /// `Bench::CubeStruct`.
    Cube,
}

impl Element {
    /// Octets of an element in memory.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::None => 0,
            Self::Char | Self::Octet => 1,
            Self::Short => 2,
            Self::Long => 4,
            Self::Double => 8,
            Self::Cube => 12,
            Self::Struct => 24,
            Self::Padded => 32,
        }
    }
}

/// What an operation does with its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Returns it.
    Echo,
    /// Returns its cube.
    Cube,
    /// Returns the sum of its numbers.
    Sum,
    /// Returns nothing.
    Sink,
    /// The client encodes and decodes it, without a call.
    Local,
}

macro_rules! operations {
    ($($name:ident $text:literal $element:ident $action:ident $many:literal,)*) => {
        /// An operation of `Bench::Suite`, called by a stub or dynamically, or local work.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Operation {
            $(#[doc = concat!("`", $text, "`.")] $name,)*
        }

        impl Operation {
            /// All operations.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its name; the IDL name if a stub calls it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The type of its elements.
            #[must_use]
            pub const fn element(self) -> Element {
                match self { $(Self::$name => Element::$element,)* }
            }

            /// What it does.
            #[must_use]
            pub const fn action(self) -> Action {
                match self { $(Self::$name => Action::$action,)* }
            }

            /// Whether it takes a sequence.
            #[must_use]
            pub const fn takes_many(self) -> bool {
                match self { $(Self::$name => $many,)* }
            }
        }
    };
}

operations! {
    Ping "ping" None Echo false,
    EchoString "echo_string" Char Echo true,
    EchoOctets "echo_octets" Octet Echo true,
    EchoLongs "echo_longs" Long Echo true,
    EchoDoubles "echo_doubles" Double Echo true,
    EchoStructs "echo_structs" Struct Echo true,
    SumStructs "sum_structs" Struct Sum true,
    ViewStructs "view_structs" Struct Sum true,
    CubeVoid "cube_void" None Cube false,
    CubeOctet "cube_octet" Octet Cube false,
    CubeLong "cube_long" Long Cube false,
    CubeStruct "cube_struct" Cube Cube false,
    CubeOctets "cube_octets" Octet Cube true,
    CubeShorts "cube_shorts" Short Cube true,
    CubeLongs "cube_longs" Long Cube true,
    CubeStructs "cube_structs" Cube Cube true,
    SendShorts "send_shorts" Short Sink true,
    SendChars "send_chars" Char Sink true,
    SendLongs "send_longs" Long Sink true,
    SendOctets "send_octets" Octet Sink true,
    SendDoubles "send_doubles" Double Sink true,
    SendStructs "send_structs" Struct Sink true,
    SendPadded "send_padded" Padded Sink true,
    DiiOctets "dii_octets" Octet Echo true,
    DiiLongs "dii_longs" Long Echo true,
    DiiDoubles "dii_doubles" Double Echo true,
    DiiStructs "dii_structs" Struct Echo true,
    CodecOctets "codec_octets" Octet Local true,
    CodecLongs "codec_longs" Long Local true,
    CodecDoubles "codec_doubles" Double Local true,
    CodecStructs "codec_structs" Struct Local true,
    LeavesOctets "leaves_octets" Octet Local true,
    LeavesLongs "leaves_longs" Long Local true,
    LeavesDoubles "leaves_doubles" Double Local true,
    LeavesStructs "leaves_structs" Struct Local true,
}

impl Operation {
    /// The number of elements of a payload.
    #[must_use]
    pub const fn elements(self, payload: usize) -> usize {
        match self.element().size() {
            0 => 0,
            size if self.takes_many() && payload > size => payload / size,
            _ => 1,
        }
    }

    /// The payload of a number of elements, in octets.
    #[must_use]
    pub const fn payload(self, elements: usize) -> usize {
        elements * self.element().size()
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Operation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|operation| operation.name() == text);
        found.copied().ok_or_else(|| format!("there is no operation {text:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for operation in Operation::ALL {
            assert_eq!(operation.name().parse(), Ok(*operation));
        }
        assert!("pong".parse::<Operation>().is_err());
    }

    #[test]
    fn payloads_are_whole_elements() {
        assert_eq!(Operation::Ping.elements(64), 0);
        assert_eq!(Operation::EchoOctets.elements(64), 64);
        assert_eq!(Operation::EchoStructs.elements(100), 4);
        assert_eq!(Operation::EchoStructs.elements(1), 1);
        assert_eq!(Operation::CubeLong.elements(4096), 1);
        assert_eq!(Operation::SendPadded.payload(4), 128);
    }
}
