//! What the program prints.

use std::fmt;
use std::io::{ErrorKind, Write as _, stdout};

use crate::Failure;

/// Nobody reads the output any more, as with `dba simulate GRAPH | head`.
#[derive(Debug)]
pub(crate) struct Closed;

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nobody reads the output")
    }
}

impl std::error::Error for Closed {}

/// Prints text.
pub(crate) fn print(text: fmt::Arguments<'_>) -> Result<(), Failure> {
    let mut output = stdout().lock();
    match output.write_fmt(text).and_then(|()| output.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Closed.into()),
        other => Ok(other?),
    }
}
