//! The engine as the third paper found it, in SunSoft's IIOP: `interp0`, and `interp1` with its first step.
//!
//! A message is marshalled by interpreting the TypeCode of each argument. [`traverse`](traverse::traverse) walks a type and
//! calls a visitor for each part; visitors encode, decode, copy and free. Everything is found where it is needed, from the
//! octets of TypeCodes: sizes, alignments, the members of a struct, for each element of a sequence again. A visitor is
//! called through a pointer for each octet of a sequence, also to free it, though there is nothing to be freed.
//!
//! **Step 1, inlining.** A profile shows the functions that put and get numbers, because every element calls one. They
//! are expanded in place. It gains little: what costs is what is calculated again and again, which only shows once these
//! functions no longer hide it.

mod call;
mod copy;
mod decode;
mod encode;
mod free;
mod traverse;

pub(crate) use call::{Request, ServerRequest, do_static_call};
