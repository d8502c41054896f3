//! Reading options from arguments, the environment and files.

use std::io::Read as _;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::{OptionKind, Options, Origin};
use crate::error::{Error, Phase};

/// Options of other ORBs and of the standard that mean nothing here, with their argument counts.
const IGNORED: &[(&str, bool)] = &[("NoProprietaryActivation", false), ("ServerId", true)];

/// The most octets that are read of a configuration file.
const MAX_FILE: u64 = 1 << 20;

/// Variables with the prefix of options that are none: the name of the file, and what the tests of
/// this project look at.
const OTHER_VARIABLES: &[&str] =
    &["CONFIG", "REQUIRE_PEERS", "REQUIRE_TOOLS", "FUZZ_FACTOR", "UPDATE_GOLDEN", "JACORB_LIB"];

impl Options {
    /// Takes the `-ORBName value` arguments out of `arguments`; the others are returned in order.
    ///
    /// # Errors
    /// An unknown `-ORB` option, a missing or bad value.
    pub fn take_arguments<I>(&mut self, arguments: I) -> Result<Vec<String>, Error>
    where
        I: IntoIterator<Item = String>,
    {
        let mut arguments = arguments.into_iter();
        let mut others = Vec::new();
        while let Some(argument) = arguments.next() {
            let Some(name) = argument.strip_prefix("-ORB") else {
                others.push(argument);
                continue;
            };
            if let Some((_, valued)) =
                IGNORED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))
            {
                if *valued {
                    arguments.next();
                }
                continue;
            }
            let missing = || Error::new(Phase::Configure, format!("{argument} needs a value"));
            // `-ORBInitRef Name=URL` may also be written `-ORBInitRefName=URL` in old scripts; only
            // the standard's form is taken.
            let value = arguments.next().ok_or_else(missing)?;
            self.set(name, &value, Origin::Argument(argument.clone()))?;
        }
        Ok(others)
    }

    /// Reads the `ZORB_*` variables among `variables`.
    ///
    /// # Errors
    /// A `ZORB_` variable that names no option, or a bad value. `ZORB_CONFIG` names the file.
    pub fn take_environment<I>(&mut self, variables: I) -> Result<(), Error>
    where
        I: IntoIterator<Item = (String, String)>,
    {
        for (variable, value) in variables {
            let Some(key) = variable.strip_prefix("ZORB_") else { continue };
            if OTHER_VARIABLES.contains(&key) {
                continue;
            }
            let origin = Origin::Environment(variable.clone());
            let spec = self
                .table()
                .find(|spec| spec.key.eq_ignore_ascii_case(key))
                .ok_or_else(|| self.unknown(key, &origin))?;
            if matches!(spec.kind, OptionKind::NamedUrl | OptionKind::Named) {
                for pair in value.split(';').filter(|pair| !pair.is_empty()) {
                    self.set(spec.name, pair.trim(), origin.clone())?;
                }
            } else {
                self.set(spec.name, &value, origin)?;
            }
        }
        Ok(())
    }

    /// Reads a configuration file in TOML: one key an option, `init_ref` a table of names and URLs.
    ///
    /// # Errors
    /// When the file cannot be read or is no TOML, for unknown keys and bad values.
    pub fn take_file(&mut self, path: &Path) -> Result<(), Error> {
        let shown = path.display().to_string();
        let failed = |error| Error::new(Phase::Configure, shown.clone()).because(error);
        let mut text = String::new();
        let file = std::fs::File::open(path).map_err(failed)?;
        file.take(MAX_FILE).read_to_string(&mut text).map_err(failed)?;
        self.take_toml(&text, &shown)
    }

    /// Reads configuration text, as [`take_file`](Self::take_file) does; `shown` names its origin.
    ///
    /// # Errors
    /// As [`take_file`](Self::take_file).
    pub fn take_toml(&mut self, text: &str, shown: &str) -> Result<(), Error> {
        let table = DeTable::parse(text)
            .map_err(|error| Error::new(Phase::Configure, shown.to_owned()).because(error))?;
        for (key, value) in table.get_ref() {
            let (key, origin) = (key.get_ref(), Origin::File(shown.to_owned()));
            match value.get_ref() {
                DeValue::String(value) => self.set(key, value, origin)?,
                DeValue::Integer(value) => {
                    let value = i64::from_str_radix(value.as_str(), value.radix())
                        .map_err(|_| misplaced(key, shown))?;
                    self.set(key, &value.to_string(), origin)?;
                }
                DeValue::Array(values) => {
                    for value in values.iter() {
                        let text = value.get_ref().as_str().ok_or_else(|| misplaced(key, shown))?;
                        self.set(key, text, origin.clone())?;
                    }
                }
                DeValue::Table(values) => {
                    for (name, value) in values {
                        let url = value.get_ref().as_str().ok_or_else(|| misplaced(key, shown))?;
                        self.set(key, &format!("{}={url}", name.get_ref()), origin.clone())?;
                    }
                }
                _ => return Err(misplaced(key, shown)),
            }
        }
        Ok(())
    }
}

fn misplaced(key: &str, shown: &str) -> Error {
    Error::new(Phase::Configure, format!("{shown}: the value of {key} has the wrong form"))
}
