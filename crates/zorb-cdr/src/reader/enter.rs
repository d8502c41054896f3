//! Reading on in the tail of a message.

use core::any::Any;

use super::CdrReader;
use super::tail::Tail;

impl<'a> CdrReader<'a> {
    /// Makes `tail` follow the buffer: the octets of a last sequence or array of numbers, which were not
    /// copied into the buffer.
    pub fn set_tail(&mut self, tail: &'a Tail<'a>) {
        self.tail = Some(tail);
    }

    /// The octets of the [tail](Self::set_tail); empty once the reader has entered it.
    pub fn tail(&self) -> &'a [u8] {
        self.tail.map_or(&[], |tail| tail.octets)
    }

    /// Whether the reader has [entered the tail](Self::enter_tail).
    pub(crate) fn is_in_tail(&self) -> bool {
        self.in_tail
    }

    /// The owner of the [tail](Self::set_tail), if it is a `T` and the reader has not entered the tail.
    pub fn tail_owner<T: Any>(&self) -> Option<&'a T> {
        self.tail?.owner?.downcast_ref()
    }

    /// Continues in the [tail](Self::set_tail) for `octets` octets, if the buffer has nothing left but padding and the
    /// tail has as many. Otherwise returns `false` and changes nothing.
    ///
    /// Another process may have mapped the memory of a tail and change it after a check. So text, which
    /// is validated once, is never read from a tail.
    #[cold]
    #[inline(never)]
    pub fn enter_tail(&mut self, octets: usize) -> bool {
        let left = self.buffer.len() - self.position;
        match self.tail {
            Some(tail)
                if left < octets.min(8) && octets <= tail.octets.len() && !self.is_in_chunks() =>
            {
                self.origin += self.buffer.len();
                self.position = 0;
                self.buffer = tail.octets;
                self.tail = None;
                self.in_tail = true;
                true
            }
            _ => false,
        }
    }

    /// Whether the octets not read yet are contiguous in memory: no [tail](Self::set_tail) follows.
    pub fn is_in_one_piece(&self) -> bool {
        self.tail.is_none()
    }
}
