//! CORBA value types: system exceptions, repository ids, TypeCode and Any.
//!
//! The types that all parts of the ORB share: the [`SystemException`] with its [minor codes](minor), the
//! [`RepositoryId`], types as values ([`TypeCode`], [`Any`], and [`Typed`], which maps the types of a
//! program to them), and the IDL types that Rust does not have ([`Fixed`] and [`LongDouble`]); the table by which
//! servers find operations ([`Operations`]). The crate needs `alloc` but not `std`.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod any;
mod exception;
mod fixed;
mod layout;
mod long_double;
mod operations;
mod repository_id;
mod type_code;
mod typed;

pub use zorb_cdr as cdr;

pub use any::Any;
pub use exception::{
    CompletionStatus, ErrorContext, MinorCode, Phase, Report, SystemException, SystemExceptionKind,
    Transfer, UnknownCompletion, Vmcid, minor, write_debug,
};
pub use fixed::{Fixed, FixedError, FixedValue, read_fixed, write_fixed};
pub use layout::{Layout, ValueHead, ValueTypes, WrittenValue, transcode, value_ids};
pub use long_double::LongDouble;
pub use operations::{OperationTable, Operations};
pub use repository_id::{BadRepositoryId, RepositoryId, RepositoryIdFormat};
pub use type_code::{
    MAX_REPEATED_TYPES, TcKind, TypeCode, TypeCodeError, TypeCodeResult, TypeDesc, TypeFn,
    UnionCase, ValueMember, ValueModifier, Visibility,
};
pub use typed::Typed;
