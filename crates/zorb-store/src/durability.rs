//! What a commit survives.

use std::fmt;
use std::str::FromStr;

/// When a commit returns, in terms of what it survives then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Durability {
    /// Each batch is synchronized with the disk by itself: it survives a loss of power. One writer at a time
    /// waits for the disk.
    Immediate,
    /// As durable as [`Immediate`](Self::Immediate), but one synchronization is for all writers that wait:
    /// those that come while it takes place share the next one. The default.
    #[default]
    Grouped,
    /// The operating system has the batch, which survives the end of the process for any reason, such as
    /// `kill -9`. A loss of power may undo the last batches, and may break the file, which then must be restored
    /// from the last dump.
    Os,
}

impl Durability {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Immediate, Self::Grouped, Self::Os];

    /// Its name in configurations: `immediate`, `grouped` or `os`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Immediate => "immediate",
            Self::Grouped => "grouped",
            Self::Os => "os",
        }
    }
}

impl fmt::Display for Durability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Durability {
    type Err = String;

    /// # Errors
    /// With the names that there are.
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|durability| durability.name() == name);
        found.ok_or_else(|| "a durability is `immediate`, `grouped` or `os`".to_owned())
    }
}
