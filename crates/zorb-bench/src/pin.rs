//! The processors of client and server.

use clap::ValueEnum;
use serde::Serialize;

use crate::error::{Error, Result};

/// The processors of client and server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Pin {
    /// One each.
    Split,
    /// The same for both.
    Same,
    /// Chosen by the system.
    None,
}

impl Pin {
    /// The processors of client and server: the last ones of the available ones.
    ///
    /// # Errors
    /// There are too few.
    pub(crate) fn choose(self, processors: &[usize]) -> Result<[Option<usize>; 2]> {
        match (self, processors) {
            (Self::None, _) => Ok([None, None]),
            (Self::Same, [.., last]) => Ok([Some(*last), Some(*last)]),
            (Self::Split, [.., client, server]) => Ok([Some(*client), Some(*server)]),
            _ => Err(Error::new("client and server need a processor each: there is only one")),
        }
    }

    /// The processor of a bridge or relay: one of its own if there are three, otherwise the server's.
    pub(crate) fn between(self, processors: &[usize], server: Option<usize>) -> Option<usize> {
        match (self, processors) {
            (Self::Split, [.., own, _, _]) => Some(*own),
            _ => server,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_processors_are_chosen() {
        assert_eq!(Pin::Split.choose(&[0, 2, 5]), Ok([Some(2), Some(5)]));
        assert_eq!(Pin::Same.choose(&[0, 2, 5]), Ok([Some(5), Some(5)]));
        assert_eq!(Pin::None.choose(&[]), Ok([None, None]));
        assert!(Pin::Split.choose(&[3]).is_err());
        assert_eq!(Pin::Split.between(&[0, 2, 5], Some(5)), Some(0));
        assert_eq!(Pin::Split.between(&[2, 5], Some(5)), Some(5));
        assert_eq!(Pin::Same.between(&[0, 2, 5], Some(5)), Some(5));
    }
}
