//! An error with the chain of its sources, in one line.

use core::error::Error;
use core::fmt;

/// Shows an error and the chain of its [sources](Error::source) in one line, separated by colons.
///
/// `Display` of Zorb's errors leaves the text of sources out, as reporters add it; this is the reporter
/// for a line of a log or a terminal.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a>(pub &'a (dyn Error + 'static));

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.0, f)?;
        let mut next = self.0.source();
        while let Some(source) = next {
            write!(f, ": {source}")?;
            next = source.source();
        }
        Ok(())
    }
}

/// Writes the `Debug` text of an error with a hint: the [`Report`], and the hint on a line of its own.
///
/// # Errors
/// Those of the formatter.
pub fn write_debug(
    error: &(dyn Error + 'static),
    hint: Option<&str>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    fmt::Display::fmt(&Report(error), f)?;
    match hint {
        Some(hint) => write!(f, "\n  hint: {hint}"),
        None => Ok(()),
    }
}
