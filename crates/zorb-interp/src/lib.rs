//! Layout tables: values of types that are known at run time, moved, checked and compared.
//!
//! An [`Assembler`] is told a type member by member and makes a [`Program`] of it: a flat table of
//! steps, in which neighbouring members of fixed size are one step, a *run*, whatever structs they
//! stand in. The program then copies values from stream to stream, byte order, alignment and code
//! sets differing or not; walks over them; and compares them. Where octets need no change they
//! are moved in one piece, sequences of fixed-size structs included; else numbers are turned
//! round at places that were found once for all elements.
//!
//! The crate knows CDR and no TypeCodes: what is no plain data, such as an `any`, is done by the
//! [`Host`] that runs the program.
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
//! let program = assembler.finish();
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
#![forbid(unsafe_code)]

extern crate alloc;

mod assembler;
mod compare;
mod execute;
mod host;
mod item;
mod label;
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
pub use program::{Label, Program, Traits};
pub use run::copy_numbers;
pub use text::{copy_string, copy_wstring};
