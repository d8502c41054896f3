//! Gather writes: runs of octets that are sent from the caller's memory.

/// Takes long runs of octets that a [`CdrWriter`](crate::CdrWriter) would otherwise copy.
///
/// A sequence of octets, or of numbers in the machine's byte order, is in the caller's memory as it is
/// sent. A sender can gather it from there instead of copying it into the message.
pub trait Outlet {
    /// Takes `octets`, which follow those `written` to the buffer so far, and returns `true`; or returns
    /// `false`, and the writer copies them. The writer does not count octets that were taken: if more
    /// octets follow them, the outlet has to copy them itself.
    fn offer(&mut self, written: &[u8], octets: &[u8]) -> bool;

    /// The same for octets that are no such run, as those of an `any`: they have to arrive behind the others, as readers
    /// look for the first value of a run in a [tail](crate::CdrReader::set_tail), but for nothing else.
    fn offer_value(&mut self, written: &[u8], octets: &[u8]) -> bool {
        self.offer(written, octets)
    }
}
