//! Compilations with the reply handlers that IDL implies.

use std::path::Path;

use zorb_idl::implied::{self, Contents};
use zorb_idl::source::LoadError;
use zorb_idl::{Compilation, FileLoader, compile_with};

/// Compiles files once more, with the reply handlers that they imply.
pub(crate) fn with_handlers(
    options: &zorb_idl::Options,
    loader: &dyn FileLoader,
    files: &[&Path],
    compilation: &Compilation,
) -> Compilation {
    let implied = Implied { loader, text: implied::text(compilation, &[], Contents::Handlers) };
    let files: Vec<&Path> = files.iter().copied().chain([Path::new(IMPLIED)]).collect();
    compile_with(options, &implied, &files)
}

/// The name of the file with implied IDL, which is not on disk.
const IMPLIED: &str = "<implied>";

/// Files, and implied IDL.
#[derive(Debug)]
struct Implied<'l> {
    loader: &'l dyn FileLoader,
    text: String,
}

impl FileLoader for Implied<'_> {
    fn load(&self, path: &Path) -> Result<Vec<u8>, LoadError> {
        if path == Path::new(IMPLIED) {
            return Ok(self.text.clone().into_bytes());
        }
        self.loader.load(path)
    }
}
