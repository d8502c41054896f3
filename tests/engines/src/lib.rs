//! The tests of generated code, with code for the interpretive marshalling engine.
#![forbid(unsafe_code)]
