//! Options as text, for people who run a program.

use std::fmt;

use super::{Options, Origin};

/// All options by their owners: names, values with units, where the values came from, ranges, help. A
/// program can print it when it is asked for help.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for set in self.sets() {
            let Some(first) = set.specs().first() else { continue };
            writeln!(f, "Options of {}:", first.owner)?;
            for spec in set.specs() {
                let value = set.text(spec);
                let value = if value.is_empty() { "none" } else { &value };
                write!(f, "  -ORB{} {value}", spec.name)?;
                if !spec.unit.is_empty() {
                    write!(f, " {}", spec.unit)?;
                }
                match self.origin(spec.name) {
                    Origin::Default => writeln!(f, "  ({})", spec.kind.describe())?,
                    origin => writeln!(f, "  ({}; from {origin})", spec.kind.describe())?,
                }
                writeln!(f, "      {}", spec.help)?;
            }
        }
        Ok(())
    }
}
