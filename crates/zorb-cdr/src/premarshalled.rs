//! Structs that are marshalled once, and then only where they change.

mod members;
mod memo;
#[cfg(test)]
mod tests;

use core::cell::RefCell;
use core::fmt;

use memo::Memo;

use crate::{CdrResult, CdrWriter};

pub use members::{MemberOf, Members};

/// A struct that is sent often and changes little: its octets are kept, and only members that
/// [changed](Self::member) are marshalled again.
///
/// A call that takes the struct as an argument [writes](Self::write) it, with other arguments before or after it. The
/// octets are those of the struct.
///
/// - They are marshalled as a whole for the first call, and when byte order, code sets or alignment differ from those of
///   the last call, as for a target of another protocol.
/// - If a member has another length than before, those behind it may have to be marshalled again.
/// - If more than a third of the members changed, calls until the next change marshal the struct into the message, and keep
///   nothing.
/// - Structs that contain valuetypes are always marshalled.
///
/// A value needs the memory of its encoding, and is used by one thread at a time. The time for a call depends on what
/// changed; [`always_marshal`](Self::always_marshal) makes it that of marshalling. Without it, a call that keeps the
/// encoding for later ones takes longer than that: the first one, and the first after a change that follows one of most
/// members.
///
/// ```
/// # use zorb_cdr::{ByteOrder, CdrResult, CdrWriter, Premarshalled, Members};
/// # fn example<Track: Members + Default>(get: fn(&mut Track) -> &mut f64) -> CdrResult<()> {
/// let mut track = Premarshalled::new(Track::default());
/// // In generated code's terms: track.member(|track| &mut track.height)
/// *track.member(get) = 10_000.0;
/// let mut octets = Vec::new();
/// track.write(&mut CdrWriter::new(&mut octets, ByteOrder::NATIVE))
/// # }
/// ```
pub struct Premarshalled<T> {
    value: T,
    always_marshals: bool,
    memo: RefCell<Memo>,
}

impl<T: Members> Premarshalled<T> {
    /// A value that has not been marshalled.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self { value, always_marshals: false, memo: RefCell::default() }
    }

    /// The value.
    pub const fn value(&self) -> &T {
        &self.value
    }

    /// The value for changes to any member. The next call marshals all of them.
    pub fn value_mut(&mut self) -> &mut T {
        self.memo.get_mut().change(u64::MAX);
        &mut self.value
    }

    /// The member to which `select` returns a reference, or to a part of it, to be changed.
    ///
    /// `select` may change nothing else: what it changes itself is not sent. If it returns a reference to other memory, as
    /// to an element of a sequence, or to more than one member, as to the struct, all members count as changed.
    pub fn member<M: ?Sized>(&mut self, select: impl FnOnce(&mut T) -> &mut M) -> &mut M {
        let start = core::ptr::from_ref(&self.value).addr();
        let member = select(&mut self.value);
        let offset = core::ptr::from_ref(member).addr().wrapping_sub(start);
        let size = size_of_val(member);
        let position = T::MEMBERS.iter().position(|member| member.contains(offset, size));
        self.memo.get_mut().change(position.map_or(u64::MAX, memo::bit));
        member
    }

    /// Whether the struct is marshalled by every call, so that the time does not depend on what changed. Default: no.
    pub const fn always_marshal(&mut self, always: bool) {
        self.always_marshals = always;
    }

    /// Appends the struct.
    ///
    /// # Errors
    /// As [`Wire::write`](crate::wire::Wire::write) of the struct.
    #[inline] // 2 % of the instructions of a struct whose members have all changed
    pub fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        if self.always_marshals || self.memo.borrow_mut().retains_nothing::<T>(writer) {
            return T::write(&self.value, writer);
        }
        self.memo.borrow_mut().write(&self.value, writer)
    }
}

impl<T: fmt::Debug> fmt::Debug for Premarshalled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Premarshalled").field("value", &self.value).finish_non_exhaustive()
    }
}
