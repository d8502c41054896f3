//! Why a store refuses or fails.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What failed, in which file, and what to try.
///
/// Cloned for each writer of a group whose transaction failed.
#[derive(Clone, Debug)]
pub struct StoreError {
    kind: StoreErrorKind,
    what: Cow<'static, str>,
    path: Option<PathBuf>,
    hint: Option<Cow<'static, str>>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// The kind of a [`StoreError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// A key, value, batch or name exceeds a limit of [`limits`](crate::limits). Nothing was changed.
    Limit,
    /// No space is left on the disk, or a quota is exhausted. Nothing was changed; commits some seconds later try again.
    Full,
    /// The operating system failed to read or write.
    Io,
    /// The contents of a file are damaged.
    Broken,
    /// Another process, or another part of this one, has the store open.
    InUse,
    /// A newer version of Zorb, or of the service, wrote the store.
    Newer,
    /// The store belongs to another user, or its permissions are insufficient.
    Denied,
    /// There is no store, or no dump, in the folder.
    Missing,
    /// An earlier failure left the store unusable; it must be opened again.
    Failed,
}

impl StoreError {
    /// Creates an error that says `what` failed.
    pub fn new(kind: StoreErrorKind, what: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, what: what.into(), path: None, hint: None, source: None }
    }

    /// The same of another kind.
    pub(crate) fn of(self, kind: StoreErrorKind) -> Self {
        Self { kind, ..self }
    }

    /// Adds the file or folder.
    #[must_use]
    pub fn at(mut self, path: impl AsRef<Path>) -> Self {
        self.path = Some(path.as_ref().to_owned());
        self
    }

    /// Adds what to try.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// The kind.
    #[must_use]
    pub const fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// The file or folder.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What to try.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

/// The file and what failed, without the hint and the cause.
impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        f.write_str(&self.what)
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.source.as_deref()?)
    }
}
