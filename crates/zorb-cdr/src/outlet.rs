//! Gather writes: octets that are sent from the caller's memory.

/// Takes long octets that a [`CdrWriter`](crate::CdrWriter) would otherwise copy.
///
/// A sequence of octets, or of numbers in the machine's byte order, is in the caller's memory as it is
/// sent. A sender can gather it from there instead of copying it into the message.
pub trait Outlet {
    /// Takes `octets`, which follow those `written` to the buffer so far, and returns `true`; or returns
    /// `false`, and the writer copies them. The writer does not count octets that were taken: if more
    /// octets follow them, the outlet has to copy them itself.
    fn offer(&mut self, written: &[u8], octets: &[u8], what: Gathered) -> bool;
}

/// What octets are that an [`Outlet`] takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gathered {
    /// A run of octets or numbers, which the peer may borrow: readers look for the first value of a run in a
    /// [tail](crate::CdrReader::set_tail).
    Run,
    /// The encoding of a value, as that of an `any`. It has to arrive behind the other octets, since readers look for
    /// nothing else in a tail.
    Value,
}
