//! TypeCodes, values and exceptions from outside.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod golden;
mod hostile;
