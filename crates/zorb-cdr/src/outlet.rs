//! Runs of octets that are not copied into a message.

/// Is offered long runs of octets that a [`CdrWriter`](crate::CdrWriter) is about to copy.
///
/// A sequence of octets, or of numbers in the machine's byte order, lies in the caller's memory as
/// it is to be sent. Who sends a message can have it gathered from there.
pub trait Outlet {
    /// Takes `octets`, which come right behind those `written` so far in the buffer, or leaves them
    /// to be copied. The writer goes on as if octets that were taken had not been there: where
    /// something follows them, the outlet has to see to it.
    fn offer(&mut self, written: &[u8], octets: &[u8]) -> bool;
}
