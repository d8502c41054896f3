//! Values in memory: layout tables that read and write Rust values.
//!
//! A [`Table`] describes where the parts of a type's values are in memory: the offsets of members, and for what Rust
//! gives no layout, functions of the element type that take a `Vec` apart and put one together. One engine, which is
//! compiled once, reads and writes the values of all types by their tables. Types without a table are read and written
//! by their own [`Wire`](zorb_cdr::Wire) implementation.
//!
//! This module contains all the unsafe code of the crate. What it relies on is a fact about tables: a table describes
//! the type that it belongs to. Safe code can only make tables for which that is true.

mod choice;
mod clause;
mod codec;
mod counted;
mod elements;
mod list;
mod macros;
#[cfg(doctest)]
mod misuse;
mod numbers;
mod operand;
mod read;
mod release;
mod sequence;
mod steps;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod types;
mod upcall;
mod write;

pub use choice::{Choice, Label};
pub use clause::{Clause, Exception, Raised};
pub use codec::{Argument, Named, OptionalArgument};
pub use counted::read_counted;
pub use list::{Expected, List, Members, Received, Results, Source, Space, Values, receive};
pub use numbers::{Numbers, Part};
pub use table::{Deferred, Enumeration, Member, Operand, Payload, Structure, Table, Tabled, Union};
pub use upcall::{Ended, RaisedException, ReadyUpcall, Returned, Upcall, upcall};

use core::mem::MaybeUninit;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};

use steps::Steps;

/// Writes a value by its table.
///
/// # Errors
/// As [`Wire::write`](zorb_cdr::Wire::write).
pub fn write_value<T: Tabled>(value: &T::Value, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    // SAFETY: the table is the one of the value's type.
    unsafe {
        write::write(
            const { &T::TABLE.value },
            core::ptr::from_ref(value).cast(),
            writer,
            Steps::NONE,
        )
    }
}

/// Reads a value by its table.
///
/// # Errors
/// As [`Wire::read`](zorb_cdr::Wire::read).
pub fn read_value<T: Tabled>(reader: &mut CdrReader<'_>) -> CdrResult<T::Value> {
    let mut value = MaybeUninit::<T::Value>::uninit();
    // SAFETY: the table is the one of the value's type.
    unsafe {
        read::read(const { &T::TABLE.value }, value.as_mut_ptr().cast(), reader, Steps::NONE)
    }?;
    // SAFETY: reading has succeeded.
    Ok(unsafe { value.assume_init() })
}
