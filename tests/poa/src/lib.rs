//! The interface of the objects that the conformance suite of the object adapter (`tests/adapter`) serves.
#![forbid(unsafe_code)]

zorb::include_idl!("desk");
