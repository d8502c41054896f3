//! The options of a compilation.

use std::path::PathBuf;

use crate::diagnostics::Code;

/// Options of a compilation. The default has no search paths and no macros.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Folders searched for included files, in order. `#include "x"` first searches the folder of the including file;
    /// `#include <x>` searches only these folders. The built-in files are searched last.
    pub include_paths: Vec<PathBuf>,
    /// Macros defined before the first line: a name and its replacement (`None`: `1`).
    pub defines: Vec<(String, Option<String>)>,
    /// Codes of tolerable faults, which become warnings: see [`Code::TOLERABLE`].
    pub allowed: Vec<Code>,
}

impl Options {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a folder to search for included files.
    #[must_use]
    pub fn include_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.include_paths.push(path.into());
        self
    }

    /// Defines a macro as `1`.
    #[must_use]
    pub fn define(mut self, name: impl Into<String>) -> Self {
        self.defines.push((name.into(), None));
        self
    }

    /// Makes the tolerable faults with this code warnings: see [`Code::TOLERABLE`]. Other codes have no
    /// effect.
    #[must_use]
    pub fn allow(mut self, code: Code) -> Self {
        self.allowed.push(code);
        self
    }

    /// Defines a macro with a replacement.
    #[must_use]
    pub fn define_as(mut self, name: impl Into<String>, replacement: impl Into<String>) -> Self {
        self.defines.push((name.into(), Some(replacement.into())));
        self
    }
}
