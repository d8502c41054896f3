//! Why no Rust was made.

use std::fmt;
use std::path::PathBuf;

/// Why no Rust was made.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The IDL has errors. The text shows each with its line, ready to be printed.
    Idl(String),
    /// A file could not be written.
    Write {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// There is no folder to write to: neither [`Config::out_dir`](crate::Config::out_dir) nor the
    /// `OUT_DIR` that Cargo sets for build scripts.
    NoOutDir,
    /// Two files would be written to the same place.
    SameName(PathBuf),
    /// A file name without a stem to name the Rust file after.
    BadName(PathBuf),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Idl(text) => f.write_str(text.trim_end()),
            Self::Write { path, source } => write!(f, "cannot write {}: {source}", path.display()),
            Self::NoOutDir => f.write_str(
                "no folder to write to: call this from a build script, or set `out_dir`",
            ),
            Self::SameName(path) => {
                write!(f, "two IDL files would both be written to {}", path.display())
            }
            Self::BadName(path) => write!(f, "`{}` is no file name", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Write { source, .. } => Some(source),
            _ => None,
        }
    }
}
