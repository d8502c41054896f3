//! Reading options from arguments, the environment and files.

use std::ffi::OsStr;
use std::io::Read as _;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::{OptionKind, Options, Origin};
use crate::error::{Error, Phase};

/// Options of other ORBs and of the standard that mean nothing here, with whether they have a value.
const IGNORED: &[(&str, bool)] = &[("NoProprietaryActivation", false), ("ServerId", true)];

/// The most octets that are read of a configuration file.
const MAX_FILE: u64 = 1 << 20;

/// Variables with the prefix of options that are none: the name of the file, and those of this project's
/// own tests.
const OTHER_VARIABLES: &[&str] =
    &["CONFIG", "REQUIRE_PEERS", "REQUIRE_TOOLS", "FUZZ_FACTOR", "UPDATE_GOLDEN", "JACORB_LIB"];

/// Takes the ORB's arguments out of `arguments`, as `ORB_init` of the standard does: `-ORBName` and the
/// value after it, where it has one. The others stay, in their order.
///
/// Which options there are does not matter here: a program can pass the ORB's arguments on to another.
///
/// ```
/// # use zorb_base as zorb;
/// let mut arguments = vec!["serve", "-ORBId", "x", "--loud"];
/// assert_eq!(zorb::options::split_arguments(&mut arguments), ["-ORBId", "x"]);
/// assert_eq!(arguments, ["serve", "--loud"]);
/// ```
pub fn split_arguments<A: AsRef<OsStr>>(arguments: &mut Vec<A>) -> Vec<String> {
    let mut taken = Vec::new();
    let mut value_follows = false;
    arguments.retain(|argument| {
        let argument = argument.as_ref().to_string_lossy();
        let name = argument.strip_prefix("-ORB");
        if name.is_none() && !value_follows {
            return true;
        }
        value_follows = !value_follows && name.is_some_and(has_value);
        taken.push(argument.into_owned());
        false
    });
    taken
}

fn has_value(name: &str) -> bool {
    !IGNORED.iter().any(|(known, valued)| !valued && known.eq_ignore_ascii_case(name))
}

impl Options {
    /// Takes the `-ORBName value` arguments out of `arguments`; the others stay, in their order.
    ///
    /// # Errors
    /// An unknown `-ORB` option, a missing or bad value.
    pub fn take_arguments<A: AsRef<OsStr>>(&mut self, arguments: &mut Vec<A>) -> Result<(), Error> {
        self.take_orb_arguments(&split_arguments(arguments))
    }

    /// Takes arguments all of which are the ORB's.
    #[doc(hidden)]
    pub fn take_orb_arguments(&mut self, arguments: &[String]) -> Result<(), Error> {
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let name = argument.strip_prefix("-ORB").unwrap_or(argument);
            let value = if has_value(name) {
                arguments.next().ok_or_else(|| {
                    Error::new(Phase::Configure, format!("{argument} needs a value"))
                })?
            } else {
                continue;
            };
            if !IGNORED.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
                self.set(name, value, Origin::Argument(argument.clone()))?;
            }
        }
        Ok(())
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
            if spec.kind == OptionKind::Named {
                for pair in value.split(';').filter(|pair| !pair.trim().is_empty()) {
                    self.set(spec.name, pair, origin.clone())?;
                }
            } else {
                self.set(spec.name, &value, origin)?;
            }
        }
        Ok(())
    }

    /// Reads a configuration file in TOML: one key an option; a table for options that are `NAME=VALUE`.
    ///
    /// # Errors
    /// When the file cannot be read or is not TOML; an unknown key, one that is there twice in different
    /// spellings, a bad value.
    pub fn take_file(&mut self, path: &Path) -> Result<(), Error> {
        let shown = path.display().to_string();
        let failed = |error| Error::new(Phase::Configure, shown.clone()).with_source(error);
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
            .map_err(|error| Error::new(Phase::Configure, shown.to_owned()).with_source(error))?;
        let mut seen = Vec::new();
        for (key, value) in table.get_ref() {
            let (key, origin) = (key.get_ref(), Origin::File(shown.to_owned()));
            if let Some(spec) = self.find(key) {
                if seen.contains(&spec.name) {
                    let what = format!("{shown}: option {} is set twice", spec.name);
                    return Err(Error::new(Phase::Configure, what)
                        .with_hint(format!("the key is {}, in this spelling", spec.key)));
                }
                seen.push(spec.name);
            }
            match value.get_ref() {
                DeValue::String(value) => self.set(key, value, origin)?,
                DeValue::Boolean(true) => self.set(key, "yes", origin)?,
                DeValue::Boolean(false) => self.set(key, "no", origin)?,
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
                        let text = value.get_ref().as_str().ok_or_else(|| misplaced(key, shown))?;
                        self.set(key, &format!("{}={text}", name.get_ref()), origin.clone())?;
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
