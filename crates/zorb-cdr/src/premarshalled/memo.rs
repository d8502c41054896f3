//! The octets of a struct, and which of its members have changed since.

use alloc::vec::Vec;

use super::members::Members;
use crate::wire::MAX_ALIGNMENT;
use crate::{ByteOrder, CdrResult, CdrWriter, TextCoding};

/// The bit of a member in a set of members. Those from the 64th on have the same one.
pub(super) fn bit(position: usize) -> u64 {
    1 << position.min(63)
}

/// What is retained of a struct.
#[derive(Debug)]
pub(super) struct Memo {
    /// The octets, behind as many as are between them and a multiple of 8 in the message.
    octets: Vec<u8>,
    /// The end of each member in `octets`.
    ends: Vec<usize>,
    /// A member that is marshalled again, likewise.
    member: Vec<u8>,
    encoding: Encoding,
    /// Whether the octets are those of the value, but for the members that changed.
    is_current: bool,
    /// The members that changed since the value was written.
    changed: u64,
    /// Those that had changed when it was last written after a change, and whether they were too many to be marshalled
    /// one by one: a message may be written twice, both times in the same way.
    last: u64,
    were_many: bool,
    /// Whether the struct contains valuetypes, which may refer to others of the same message.
    has_values: bool,
}

impl Default for Memo {
    fn default() -> Self {
        Self {
            octets: Vec::new(),
            ends: Vec::new(),
            member: Vec::new(),
            encoding: Encoding { class: 0, order: ByteOrder::NATIVE, text: TextCoding::default() },
            is_current: false,
            changed: 0,
            last: 0,
            were_many: false,
            has_values: false,
        }
    }
}

/// What an encoding depends on besides the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Encoding {
    /// The offset modulo 8.
    class: usize,
    order: ByteOrder,
    text: TextCoding,
}

impl Encoding {
    fn of(writer: &CdrWriter<'_>) -> Self {
        Self { class: writer.offset() % MAX_ALIGNMENT, order: writer.order(), text: writer.text() }
    }

    /// A writer of octets that begin at the offset `at`, behind those that there are.
    fn writer<'o>(&self, octets: &'o mut Vec<u8>, at: usize) -> CdrWriter<'o> {
        let mut writer = CdrWriter::resume(octets, self.order).with_text(self.text);
        writer.reserve(at.saturating_sub(writer.offset()));
        writer
    }
}

impl Memo {
    /// These members may change.
    #[inline]
    pub(super) const fn change(&mut self, members: u64) {
        self.changed |= members;
    }

    /// Whether a value is marshalled into the message, and nothing is retained.
    #[inline]
    pub(super) fn retains_nothing<T: Members>(&mut self, writer: &CdrWriter<'_>) -> bool {
        // Most often, the same members have changed as the last time.
        if self.changed != 0 && self.changed != self.last {
            self.last = self.changed;
            // Few bits stand for many members. One by itself takes twice as much as among others.
            self.were_many = self.changed == u64::MAX
                || self.changed.count_ones() as usize > T::MEMBERS.len() / 3;
        }
        if self.were_many || self.has_values || writer.has_values() {
            self.changed = 0;
            self.is_current = false;
            return true;
        }
        false
    }

    /// Appends a value.
    #[inline(never)] // its registers are not saved where nothing is retained
    pub(super) fn write<T: Members>(
        &mut self,
        value: &T,
        writer: &mut CdrWriter<'_>,
    ) -> CdrResult<()> {
        let changed = core::mem::take(&mut self.changed);
        let encoding = Encoding::of(writer);
        let is_current = core::mem::take(&mut self.is_current) && self.encoding == encoding;
        self.encoding = encoding;
        match is_current {
            true => self.renew(value, changed)?,
            false => self.marshal_from(0, value)?,
        }
        if self.has_values {
            return T::write(value, writer);
        }
        self.is_current = true;
        let octets = self.octets.get(encoding.class..).unwrap_or_default();
        writer.reserve_capacity(octets.len(), "struct")?;
        // Not offered to be sent from here: it may contain text, which is not read from a tail.
        writer.put(octets);
        Ok(())
    }

    /// Marshals the members that changed.
    fn renew<T: Members>(&mut self, value: &T, mut changed: u64) -> CdrResult<()> {
        while changed != 0 {
            let position = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            let Some(member) = T::MEMBERS.get(position) else { break };
            if position == 63 {
                return self.marshal_from(position, value);
            }
            let (start, end) = (self.start(position), self.start(position + 1));
            let class = start % MAX_ALIGNMENT;
            self.member.clear();
            let mut writer = self.encoding.writer(&mut self.member, class);
            (member.write)(value, &mut writer)?;
            writer.finish()?;
            self.has_values |= writer.has_values();
            let new = self.member.get(class..).unwrap_or_default();
            match self.octets.get_mut(start..end) {
                Some(old) if old.len() == new.len() => old.copy_from_slice(new),
                // Those behind it may be aligned otherwise.
                _ => return self.marshal_from(position, value),
            }
        }
        Ok(())
    }

    /// Where a member begins.
    fn start(&self, position: usize) -> usize {
        let before = position.checked_sub(1).and_then(|before| self.ends.get(before));
        before.copied().unwrap_or(self.encoding.class)
    }

    /// Marshals the member at a position and all behind it.
    #[inline(never)]
    fn marshal_from<T: Members>(&mut self, position: usize, value: &T) -> CdrResult<()> {
        let start = self.start(position);
        self.octets.truncate(if position == 0 { 0 } else { start });
        self.ends.truncate(position);
        let mut writer = self.encoding.writer(&mut self.octets, start);
        for member in T::MEMBERS.get(position..).unwrap_or_default() {
            (member.write)(value, &mut writer)?;
            self.ends.push(writer.offset());
        }
        writer.finish()?;
        self.has_values |= writer.has_values();
        Ok(())
    }
}
