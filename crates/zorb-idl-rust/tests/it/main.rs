//! The text that the back end writes, or why it writes none.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod golden;
mod marshal;
mod unsupported;
