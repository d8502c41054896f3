//! The nine patterns of `docs/src/performance.md`, each with two implementations of the same work: a straightforward
//! one, and Zorb's.

mod bytes;
mod calls;
mod plain;

/// One unit of work; its result goes to a black box.
pub type Work = Box<dyn FnMut()>;

/// The two implementations of a pattern, ready to run. They have been checked to produce the same result.
#[allow(missing_debug_implementations, reason = "two closures")]
pub struct Pair {
    /// The straightforward implementation.
    pub before: Work,
    /// Zorb's implementation.
    pub after: Work,
}

/// A count in addition to instructions and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Also {
    /// Nothing.
    Nothing,
    /// Blocks taken from the heap.
    Allocations,
    /// Misses of the first-level data cache.
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
    /// The marker of its table in the chapter.
    pub name: &'static str,
    /// The first way in a few words.
    pub before: &'static str,
    /// Zorb's way in a few words.
    pub after: &'static str,
    /// What else is counted.
    pub also: Also,
    /// Prepares both implementations, and compares their results.
    pub make: fn() -> Result<Pair, Wrong>,
}

/// The results differ, or an implementation cannot be prepared.
pub type Wrong = Box<dyn std::error::Error>;

/// The patterns in the order of the chapter.
pub const ALL: [Principle; 9] = [
    Principle {
        name: "common case",
        before: "byte order tested for each long",
        after: "byte order tested once, native longs copied",
        also: Also::Nothing,
        make: bytes::common_case,
    },
    Principle {
        name: "waste",
        before: "arguments encoded separately, then copied behind the header",
        after: "arguments encoded behind the header; size patched",
        also: Also::Nothing,
        make: bytes::waste,
    },
    Principle {
        name: "specialize",
        before: "each member aligned and checked",
        after: "bounds checked once, members at known offsets",
        also: Also::Nothing,
        make: bytes::specialize,
    },
    Principle {
        name: "precompute",
        before: "hash map of names, built at startup",
        after: "perfect hash table, built at compile time",
        also: Also::Nothing,
        make: calls::precompute,
    },
    Principle {
        name: "cache",
        before: "profile decoded and endpoint looked up in each call",
        after: "route cached in the reference",
        also: Also::Allocations,
        make: calls::cache,
    },
    Principle {
        name: "layers",
        before: "POA and object found by name",
        after: "POA and object found by indexes in the key",
        also: Also::Nothing,
        make: calls::layers,
    },
    Principle {
        name: "processor cache",
        before: "whole buffer cleared, then written",
        after: "blocks cleared and written while in the cache",
        also: Also::CacheMisses,
        make: bytes::processor_cache,
    },
    Principle {
        name: "factor out",
        before: "errors built inline",
        after: "errors built in a cold function",
        also: Also::Code { before: "plain::read_numbers", after: "bytes::read_numbers" },
        make: bytes::factor_out,
    },
    Principle {
        name: "heap",
        before: "new buffer for each message, owned octets for the servant",
        after: "one buffer for all messages, borrowed octets",
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

/// Consumes a result, so that the compiler does not remove its computation.
fn spend<T>(result: T) {
    std::hint::black_box(result);
}

/// Returns an error if the results differ.
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
