//! Reading options from arguments and the environment.

use std::ffi::OsStr;

use super::{OptionKind, Options, Origin};
use crate::error::{Error, Phase};

/// Options of other ORBs and of the standard that Zorb ignores, and whether they have a value.
const IGNORED: &[(&str, bool)] = &[("NoProprietaryActivation", false), ("ServerId", true)];

/// The prefix of variables that are options.
const PREFIX: &str = "ZORB_";

/// The variable with the path of the configuration file, without the prefix.
const CONFIG: &str = "CONFIG";

/// Removes the ORB's arguments from `arguments` and returns them, as the standard's `ORB_init` does: each
/// `-ORBName` and the value after it, if it has one, or `-ORBName=value`. The others remain in their order.
///
/// The names are not checked, so that a program can pass the arguments on to another one.
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
        value_follows =
            !value_follows && name.is_some_and(|name| split(name).1.is_none() && has_value(name));
        taken.push(argument.into_owned());
        false
    });
    taken
}

/// The name of an option, and the value of `name=value`.
fn split(argument: &str) -> (&str, Option<&str>) {
    argument.split_once('=').map_or((argument, None), |(name, value)| (name, Some(value)))
}

fn has_value(name: &str) -> bool {
    !IGNORED.iter().any(|(known, valued)| !valued && known.eq_ignore_ascii_case(name))
}

impl Options {
    /// Removes the `-ORBName value` arguments from `arguments` and sets these options; the others remain in
    /// their order.
    ///
    /// # Errors
    /// An unknown `-ORB` option, a missing or bad value.
    pub fn take_arguments<A: AsRef<OsStr>>(&mut self, arguments: &mut Vec<A>) -> Result<(), Error> {
        self.take_orb_arguments(&split_arguments(arguments))
    }

    /// Sets options from `arguments`, which must all be options of the ORB.
    #[doc(hidden)]
    pub fn take_orb_arguments(&mut self, arguments: &[String]) -> Result<(), Error> {
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let (argument, joined) = split(argument);
            let name = argument.strip_prefix("-ORB").unwrap_or(argument);
            let value = match joined {
                Some(value) => value,
                None if has_value(name) => arguments.next().ok_or_else(|| {
                    Error::new(Phase::Configure, format!("{argument} needs a value"))
                })?,
                None => continue,
            };
            if !IGNORED.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
                self.set(name, value, Origin::Argument(argument.to_owned()))?;
            }
        }
        Ok(())
    }

    /// Sets options from the `ZORB_*` variables among `variables`. It ignores `ZORB_CONFIG`, the name of the
    /// configuration file.
    ///
    /// # Errors
    /// A `ZORB_` variable that names no option, a bad value, or one that is not UTF-8.
    pub fn take_environment<I, K, V>(&mut self, variables: I) -> Result<(), Error>
    where
        I: IntoIterator<Item = (K, V)>,
        K: AsRef<OsStr>,
        V: AsRef<OsStr>,
    {
        for (variable, value) in variables {
            let (variable, value) = (variable.as_ref(), value.as_ref());
            if !variable.as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
                continue;
            }
            let (Some(name), Some(value)) = (variable.to_str(), value.to_str()) else {
                // The path of the configuration file may have any octets.
                if variable.to_str().and_then(|name| name.strip_prefix(PREFIX)) == Some(CONFIG) {
                    continue;
                }
                let what = format!("the variable {} is not UTF-8", variable.display());
                return Err(Error::new(Phase::Configure, what));
            };
            let key = name.strip_prefix(PREFIX).unwrap_or(name);
            if key == CONFIG {
                continue;
            }
            let origin = Origin::Environment(name.to_owned());
            let spec = self
                .table()
                .find(|spec| spec.key.eq_ignore_ascii_case(key))
                .ok_or_else(|| self.unknown(key, &origin))?;
            if spec.kind == OptionKind::NameValuePairs {
                for pair in value.split(';').filter(|pair| !pair.trim().is_empty()) {
                    self.set(spec.name, pair, origin.clone())?;
                }
            } else {
                self.set(spec.name, value, origin)?;
            }
        }
        Ok(())
    }
}
