//! Errors of the compiler.

use std::fmt;
use std::path::PathBuf;

/// Why compilation failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The IDL has errors. The text contains the rendered diagnostics.
    Idl(String),
    /// A file could not be written.
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A usage file cannot be read or is invalid.
    Usage {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// [`Marshal::Profile`](crate::Marshal::Profile) without a [`usage_file`](crate::Config::usage_file).
    NoUsage,
    /// The environment names a marshalling engine that does not exist.
    NoSuchEngine(String),
    /// There is no output folder: neither [`Config::out_dir`](crate::Config::out_dir) nor Cargo's `OUT_DIR` is set.
    NoOutDir,
    /// Two IDL files would be written to the same Rust file.
    SameName(PathBuf),
    /// A file name from which no Rust file name can be derived.
    BadName(PathBuf),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Idl(text) => f.write_str(text.trim_end()),
            Self::Write { path, source } => write!(f, "cannot write {}: {source}", path.display()),
            Self::Usage { path, source } => {
                write!(f, "usage file {}: {source}", path.display())
            }
            Self::NoUsage => f.write_str(
                "no usage file: marshalling by profile needs one that the program has written (option UsageFile)",
            ),
            Self::NoSuchEngine(name) => {
                write!(f, "{}={name}: the engines are `compiled` and `interpretive`", crate::ENGINE)
            }
            Self::NoOutDir => {
                f.write_str("no output folder: call this from a build script, or set `out_dir`")
            }
            Self::SameName(path) => {
                write!(f, "two IDL files map to the same output file {}", path.display())
            }
            Self::BadName(path) => write!(f, "`{}` is not a valid file name", path.display()),
        }
    }
}

impl std::error::Error for Error {}
