//! The nine patterns of `docs/src/performance.md`, each as two ways to do the same work: as a first
//! version would, and as Zorb does.

mod bytes;
mod calls;
mod plain;

/// One unit of work; what comes out goes to a black box.
pub type Work = Box<dyn FnMut()>;

/// The two ways of one pattern, made ready to run. Both have been seen to come to the same.
#[allow(missing_debug_implementations, reason = "two closures")]
pub struct Pair {
    /// As a first version would.
    pub before: Work,
    /// As Zorb does.
    pub after: Work,
}

/// What is counted for a pattern beside instructions and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Also {
    /// Nothing.
    Nothing,
    /// Blocks taken from the heap.
    Allocations,
    /// Cache lines that the first-level data cache did not have.
    CacheMisses,
    /// Octets of the machine code of a function.
    Code {
        /// A part of the function's name.
        before: &'static str,
        /// A part of the other's.
        after: &'static str,
    },
}

/// A pattern.
#[derive(Clone, Copy, Debug)]
pub struct Principle {
    /// How its table is marked in the chapter.
    pub name: &'static str,
    /// The first way in a few words.
    pub before: &'static str,
    /// Zorb's way in a few words.
    pub after: &'static str,
    /// What else is counted.
    pub also: Also,
    /// Makes the two ways ready, and compares what they come to.
    pub make: fn() -> Result<Pair, Wrong>,
}

/// The two ways differ, or cannot be made ready.
pub type Wrong = Box<dyn std::error::Error>;

/// The patterns in the order of the chapter.
pub const ALL: [Principle; 9] = [
    Principle {
        name: "common case",
        before: "asks for each long which byte order it has",
        after: "asks once, and moves own byte order as it is",
        also: Also::Nothing,
        make: bytes::common_case,
    },
    Principle {
        name: "waste",
        before: "arguments into a buffer of their own, then behind a header that knows their size",
        after: "behind the header at once; the size is filled in",
        also: Also::Nothing,
        make: bytes::waste,
    },
    Principle {
        name: "specialize",
        before: "member by member, each aligned and checked",
        after: "room checked once, members at known places",
        also: Also::Nothing,
        make: bytes::specialize,
    },
    Principle {
        name: "precompute",
        before: "a hash map of names, made when the program starts",
        after: "a perfect hash table, made by the compiler",
        also: Also::Nothing,
        make: calls::precompute,
    },
    Principle {
        name: "cache",
        before: "a call that decodes the profile and looks its endpoint up",
        after: "a call that finds its way in the reference",
        also: Also::Allocations,
        make: calls::cache,
    },
    Principle {
        name: "layers",
        before: "adapter and object by their names",
        after: "adapter and object by numbers that the key carries",
        also: Also::Nothing,
        make: calls::layers,
    },
    Principle {
        name: "processor cache",
        before: "room for all structs is cleared, then they are written",
        after: "block by block, written while it is in the cache",
        also: Also::CacheMisses,
        make: bytes::processor_cache,
    },
    Principle {
        name: "factor out",
        before: "errors are told where they are found",
        after: "errors are told by a function of their own",
        also: Also::Code { before: "plain::read_numbers", after: "bytes::read_numbers" },
        make: bytes::factor_out,
    },
    Principle {
        name: "heap",
        before: "a fresh buffer for each message, octets of its own for the servant",
        after: "one buffer for all messages, octets borrowed from it",
        also: Also::Allocations,
        make: bytes::heap,
    },
];

impl Principle {
    /// The pattern of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|principle| principle.name == name)
    }
}

/// Uses a result up, as far as the compiler can see.
fn spend<T>(result: T) {
    std::hint::black_box(result);
}

/// Says so when the two ways come to different things.
fn same<T: PartialEq>(before: &T, after: &T) -> Result<(), Wrong> {
    if before == after { Ok(()) } else { Err("the two ways come to different things".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_every_pattern_work_and_agree() {
        for principle in ALL {
            let made = (principle.make)();
            assert!(made.is_ok(), "{}: {:?}", principle.name, made.err());
            let Ok(Pair { mut before, mut after }) = made else { continue };
            // Twice, because buffers are used again.
            (0..2).for_each(|_| before());
            (0..2).for_each(|_| after());
        }
    }
}
