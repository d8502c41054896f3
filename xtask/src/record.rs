//! Sizes on record in a file, which belong to one version of the compiler.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::Command;

/// A compiler: its version and host, as `rustc -vV` has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Compiler {
    pub(crate) rustc: String,
    pub(crate) host: String,
}

impl Compiler {
    /// The compiler of this build.
    pub(crate) fn current() -> io::Result<Self> {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let output = Command::new(rustc).arg("-vV").output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let line = |name: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(name));
            let missing = || io::Error::other(format!("rustc -vV: no {name}"));
            value.map(str::to_owned).ok_or_else(missing)
        };
        Ok(Self { rustc: line("release: ")?, host: line("host: ")? })
    }

    /// The compiler that a record names.
    pub(crate) fn of(record: &toml::Table) -> Option<Self> {
        let word = |name: &str| Some(record.get(name)?.as_str()?.to_owned());
        Some(Self { rustc: word("rustc")?, host: word("host")? })
    }

    /// Whether sizes of this record can be compared with those of another compiler; an error is why not.
    pub(crate) fn compares_with(&self, now: &Self, path: &str) -> Result<(), String> {
        if self == now {
            return Ok(());
        }
        let Self { rustc, host } = self;
        Err(format!(
            "{path} is of rustc {rustc} for {host}, and this one is {} for {}: sizes are not compared",
            now.rustc, now.host
        ))
    }
}

/// As a record names it.
impl fmt::Display for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rustc, host } = self;
        writeln!(f, "rustc = {rustc:?}\nhost = {host:?}")
    }
}

/// Reads the record at `path` in the folder `root`.
pub(crate) fn read<T>(
    root: &Path,
    path: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> io::Result<T> {
    let text = std::fs::read_to_string(root.join(path))
        .map_err(|error| io::Error::new(error.kind(), format!("{path}: {error}")))?;
    parse(&text).ok_or_else(|| io::Error::other(format!("{path}: not a record")))
}
