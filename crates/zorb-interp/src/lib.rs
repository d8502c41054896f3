//! The table-driven marshalling engine.
//!
//! It reads and writes Rust values by the [`Table`]s of their types, which interpretive stubs and skeletons use: see
//! [`Tabled`]. And it copies, checks and compares values of types known at run time, as follows.
//!
//! An [`Assembler`] takes the members of a type and compiles them to a [`Program`]: a flat table of steps,
//! in which adjacent members of fixed size are one step, a *run*, even across nested structs. The program
//! copies values from stream to stream, whose byte order, alignment and code sets may differ; skips
//! values; and compares them. Octets that need no change are copied in bulk, also for sequences of
//! fixed-size structs. Otherwise numbers are byte-swapped at offsets that are computed once for all
//! elements.
//!
//! The crate knows CDR but no TypeCodes. A [`Host`] handles everything that is not plain data, such as
//! an `any`.
//!
//! ```
//! use zorb_cdr::{ByteOrder, CdrReader, CdrWriter};
//! use zorb_interp::{Assembler, Number, Plain};
//!
//! // sequence<struct { octet tag; double value; }>
//! let mut assembler = Assembler::new();
//! let (list, element) = (assembler.label(), assembler.label());
//! assembler.begin(list);
//! assembler.sequence(u32::MAX, element);
//! assembler.begin(element);
//! assembler.number(Number::One, 1);
//! assembler.number(Number::Eight, 1);
//! let program = assembler.finish().expect("memory for a program");
//!
//! let big = [0, 0, 0, 1, 7, 0, 0, 0, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0];
//! let mut little = Vec::new();
//! program.copy(
//!     list,
//!     &mut CdrReader::new(&big, ByteOrder::Big),
//!     &mut CdrWriter::new(&mut little, ByteOrder::Little),
//!     &mut Plain,
//! )?;
//! assert_eq!(little, [1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
//! # Ok::<(), zorb_cdr::CdrError>(())
//! ```
#![no_std]

// `#[inline]`: those of `memory::list` save octets. Without them, the seven operations of Param_Test added 664 octets more
// to an interpretive client (opt-level z).

extern crate alloc;

mod assembler;
mod compare;
mod execute;
mod host;
mod item;
mod label;
#[allow(unsafe_code)] // values are read and written by the offsets of their members
mod memory;
mod program;
mod run;
#[cfg(test)]
mod tests;
mod text;

pub use assembler::Assembler;
pub use compare::equal_references;
pub use execute::copy_reference;
pub use host::{Host, HostValue, Plain};
pub use item::Number;
pub use label::{Discriminator, read_label, write_label};
pub use memory::{
    Argument, Choice, Clause, Deferred, Ended, Enumeration, Exception, Expected,
    Label as UnionLabel, List, Member, Members, Named, Numbers, Operand, OptionalArgument, Part,
    Payload, Raised, RaisedException, ReadyUpcall, Received, Results, Returned, Source, Space,
    Structure, Table, Tabled, Union, Upcall, Values, read_counted, read_value, receive, upcall,
    write_value,
};
pub use program::{Label, Program, Traits};
pub use run::copy_numbers;
pub use text::{copy_string, copy_wstring};
