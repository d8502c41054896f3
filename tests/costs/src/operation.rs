//! The operations that are counted, by name.

use std::hint::black_box;

use crate::idl::costs::{BinStruct, Counted, Part, counted};

/// Octets of the sequences of octets.
pub const OCTETS: usize = 4096;

/// A call that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// No arguments, no result.
    Void,
    /// A long, there and back.
    Long,
    /// A structure of fixed size, there and back.
    Struct,
    /// A long, with no reply.
    OneWay,
    /// 32 characters, there and back.
    String,
    /// 4 KiB, which the servant borrows.
    OctetsIn,
    /// 4 KiB, which the caller owns.
    OctetsOut,
    /// 64 structures of fixed size.
    Structs,
    /// 16 structures with a string each.
    Parts,
    /// A user exception.
    Exception,
}

impl Operation {
    /// All there are.
    pub const ALL: [Self; 10] = [
        Self::Void,
        Self::Long,
        Self::Struct,
        Self::OneWay,
        Self::String,
        Self::OctetsIn,
        Self::OctetsOut,
        Self::Structs,
        Self::Parts,
        Self::Exception,
    ];

    /// How it is called on command lines and in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Void => "void",
            Self::Long => "long",
            Self::Struct => "struct",
            Self::OneWay => "oneway",
            Self::String => "string",
            Self::OctetsIn => "octets-in",
            Self::OctetsOut => "octets-out",
            Self::Structs => "structs",
            Self::Parts => "parts",
            Self::Exception => "exception",
        }
    }

    /// The operation of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }
}

/// The arguments of all operations, made once.
#[derive(Clone, Debug)]
pub struct Arguments {
    octets: Vec<u8>,
    structs: Vec<BinStruct>,
    parts: Vec<Part>,
}

impl Default for Arguments {
    fn default() -> Self {
        let data = BinStruct { s: 1, c: 'c', l: 2, o: 3, d: 4.5 };
        let part = |number| Part { name: format!("part number {number}"), number, data };
        Self {
            octets: vec![7; OCTETS],
            structs: vec![data; 64],
            parts: (0..16).map(part).collect(),
        }
    }
}

impl Arguments {
    /// The octets that are sent, for whoever asks where they lie.
    #[must_use]
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }

    /// Makes the call.
    ///
    /// # Errors
    /// That of the call, or a wrong answer.
    #[inline(never)]
    pub fn call(&self, operation: Operation, counted: &Counted) -> zorb::Result<()> {
        let right = match operation {
            Operation::Void => counted.nothing().map(|()| true),
            Operation::Long => counted.echo_long(42).map(|number| number == 42),
            Operation::Struct => {
                let sent = BinStruct { s: 1, c: 'c', l: 2, o: 3, d: 4.5 };
                counted.echo_struct(black_box(&sent)).map(|answer| answer.l == 2)
            }
            Operation::OneWay => counted.note(42).map(|()| true),
            Operation::String => {
                let text = "thirty-two characters, all ASCII";
                counted.echo_string(text).map(|answer| answer.len() == text.len())
            }
            Operation::OctetsIn => counted.take_octets(&self.octets).map(|()| true),
            Operation::OctetsOut => {
                counted.give_octets(OCTETS as u32).map(|octets| octets.len() == OCTETS)
            }
            Operation::Structs => counted.take_structs(&self.structs).map(|()| true),
            Operation::Parts => counted.take_parts(&self.parts).map(|()| true),
            Operation::Exception => match counted.refuse(42) {
                Ok(()) => Ok(false),
                Err(counted::RefuseError::Refused(refused)) => Ok(refused.reason == 42),
                Err(counted::RefuseError::System(exception)) => return Err(exception),
            },
        };
        match right {
            Ok(true) => Ok(()),
            Ok(false) => Err(wrong()),
            Err(exception) => Err(exception),
        }
    }
}

#[cold]
fn wrong() -> zorb::SystemException {
    zorb::SystemException::internal(zorb::MinorCode::NONE, zorb::CompletionStatus::Yes)
}
