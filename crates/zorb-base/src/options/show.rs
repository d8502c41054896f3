//! Options as text, for operators.

use std::fmt;

use super::{Options, Origin};

/// Lists all options by owner: names, values with units, origins, ranges, and help. Programs can print it as
/// part of their help text.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let overridden = self.overridden();
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
                write!(f, "  ({}", spec.kind.describe())?;
                match self.origin(spec.name) {
                    Origin::Default => {}
                    origin => write!(f, "; from {origin}")?,
                }
                for lost in overridden.iter().filter(|lost| lost.name == spec.name) {
                    write!(f, "; overrides {}", lost.overridden_value())?;
                }
                writeln!(f, ")")?;
                writeln!(f, "      {}", spec.help)?;
            }
        }
        Ok(())
    }
}
