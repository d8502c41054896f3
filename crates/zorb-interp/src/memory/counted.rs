//! The engine once more, with its steps counted: what `zorb idl wcet` promises is compared with it.
//!
//! It is compiled twice from the same files. An engine that is generic over what counts takes 2.1 KiB (30 %) more of a
//! client at opt-level z, because its functions are then neither private nor inlined.

use core::cell::Cell;
use core::mem::MaybeUninit;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};

use super::table::{Operand, Tabled};
use super::{elements, release, table, text};
use steps::Steps;

mod steps {
    use core::cell::Cell;

    /// Counts the steps of the engine.
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Steps<'s>(pub(super) &'s Cell<u64>);

    impl Steps<'_> {
        /// One more step.
        pub(super) fn count(self) {
            self.0.set(self.0.get() + 1);
        }
    }
}

#[expect(clippy::duplicate_mod, reason = "the number at the head of this file")]
#[path = "read.rs"]
mod read;
#[expect(clippy::duplicate_mod, reason = "the number at the head of this file")]
#[path = "write.rs"]
mod write;

/// Reads a value as [`read_value`](super::read_value) does, and returns how many steps the engine took, too: one for each
/// entry of its table, as often as it was used.
///
/// # Errors
/// As [`Wire::read`](zorb_cdr::Wire::read).
pub fn read_counted<T: Tabled>(reader: &mut CdrReader<'_>) -> CdrResult<(T::Value, u64)> {
    let steps = Cell::new(0);
    let mut value = MaybeUninit::<T::Value>::uninit();
    let (kind, to) = (const { &T::TABLE.value }, value.as_mut_ptr().cast());
    // SAFETY: the table is the one of the value's type.
    unsafe { read::read(kind, to, reader, Steps(&steps)) }?;
    // SAFETY: reading has succeeded.
    Ok((unsafe { value.assume_init() }, steps.get()))
}

impl Operand<'_> {
    /// Writes the argument as [`write`](Self::write) does, and returns how many steps the engine took: one for each entry
    /// of its table, as often as it was used.
    ///
    /// # Errors
    /// The value has no encoding.
    pub fn write_counted(&self, writer: &mut CdrWriter<'_>) -> CdrResult<u64> {
        let steps = Cell::new(0);
        write::write_operand(self, writer, Steps(&steps))?;
        Ok(steps.get())
    }
}
