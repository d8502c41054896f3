//! Reading options from configuration files.

use std::io::Read as _;
use std::path::Path;

#[cfg(feature = "toml")]
use toml::de::{DeTable, DeValue};

use super::Options;
#[cfg(feature = "toml")]
use super::Origin;
use crate::error::{Error, Phase};

/// The maximum size of a configuration file in octets.
const MAX_FILE: u64 = 1 << 20;

impl Options {
    /// Sets options from a configuration file in TOML: one key per option; a table for options of `NAME=VALUE`
    /// pairs.
    ///
    /// # Errors
    /// The file cannot be read, is larger than 1 MiB, or is not TOML; the feature `toml` is disabled; a key is unknown or is there twice in different spellings; a value
    /// is invalid.
    pub fn take_file(&mut self, path: &Path) -> Result<(), Error> {
        let shown = path.display().to_string();
        let failed = |error| Error::new(Phase::Configure, shown.clone()).with_source(error);
        let mut text = String::new();
        let file = std::fs::File::open(path).map_err(failed)?;
        let length = file.take(MAX_FILE + 1).read_to_string(&mut text).map_err(failed)?;
        if length as u64 > MAX_FILE {
            let what = format!("{shown} is larger than {MAX_FILE} octets");
            return Err(Error::new(Phase::Configure, what));
        }
        self.take_toml(&text, &shown)
    }

    /// Sets options from TOML text, as [`take_file`](Self::take_file) does; error messages contain `shown` as
    /// its origin.
    ///
    /// # Errors
    /// As [`take_file`](Self::take_file).
    #[cfg(feature = "toml")]
    pub fn take_toml(&mut self, text: &str, shown: &str) -> Result<(), Error> {
        let table = DeTable::parse(text)
            .map_err(|error| Error::new(Phase::Configure, shown.to_owned()).with_source(error))?;
        let mut seen = Vec::new();
        for (key, value) in table.get_ref() {
            let (key, origin) = (key.get_ref(), Origin::File(shown.to_owned()));
            let found = self.find(key);
            if found.is_none() && matches!(value.get_ref(), DeValue::Table(_)) {
                let unknown = self.unknown(key, &origin);
                return Err(match unknown.hint() {
                    Some(hint) if hint.starts_with("did you mean") => unknown,
                    _ => unknown
                        .with_hint("options are keys at the top level of the file, not in tables"),
                });
            }
            if let Some(spec) = found {
                if seen.contains(&spec.name) {
                    let what = format!("{shown}: option {} is set twice", spec.name);
                    return Err(Error::new(Phase::Configure, what)
                        .with_hint(format!("the key is spelled {}", spec.key)));
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

    /// Without the feature `toml`, there are no files.
    #[cfg(not(feature = "toml"))]
    #[doc(hidden)]
    pub fn take_toml(&mut self, _text: &str, shown: &str) -> Result<(), Error> {
        let what = format!("{shown}: the program reads no configuration files");
        Err(Error::new(Phase::Configure, what)
            .with_hint("configuration files require the feature toml"))
    }
}

#[cfg(feature = "toml")]
fn misplaced(key: &str, shown: &str) -> Error {
    Error::new(Phase::Configure, format!("{shown}: the value of {key} has the wrong type"))
        .with_hint("write a string, a number, true or false; an array of strings for a list")
}
