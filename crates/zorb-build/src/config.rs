//! How to compile.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use zorb_idl::{Compilation, DiskLoader, FileLoader, compile_with};

use crate::{Error, cargo};

/// Options for a compilation of IDL to Rust.
///
/// ```no_run
/// // build.rs
/// zorb_build::Config::new()
///     .include_path("idl")
///     .extern_module("CosNaming", "::zorb_naming::cos_naming")
///     .compile(&["idl/shop.idl", "idl/stock.idl"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Config {
    front: zorb_idl::Options,
    back: zorb_idl_rust::Options,
    out_dir: Option<PathBuf>,
    combined: Option<String>,
}

/// The Rust made of one file, or of several combined.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Output {
    /// The name of the Rust file without its `.rs`: what `zorb::include_idl!` takes.
    pub name: String,
    /// The Rust text.
    pub text: String,
    /// The findings that are no errors, for people.
    pub warnings: Vec<String>,
    /// Every file read, included ones too.
    pub dependencies: Vec<PathBuf>,
}

impl Config {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a folder to search for included files.
    #[must_use]
    pub fn include_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.front = self.front.include_path(path);
        self
    }

    /// Defines a preprocessor macro as `1`.
    #[must_use]
    pub fn define(mut self, name: impl Into<String>) -> Self {
        self.front = self.front.define(name);
        self
    }

    /// Defines a preprocessor macro with a replacement.
    #[must_use]
    pub fn define_as(mut self, name: impl Into<String>, replacement: impl Into<String>) -> Self {
        self.front = self.front.define_as(name, replacement);
        self
    }

    /// Writes to `path` instead of Cargo's `OUT_DIR`.
    #[must_use]
    pub fn out_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(path.into());
        self
    }

    /// Makes one Rust file, `name`.rs, of all files: types that they share are the same types then.
    #[must_use]
    pub fn combined(mut self, name: impl Into<String>) -> Self {
        self.combined = Some(name.into());
        self
    }

    /// Makes no code for an IDL module, and refers to the Rust module `path` instead.
    #[must_use]
    pub fn extern_module(mut self, module: impl Into<String>, path: impl Into<String>) -> Self {
        self.back = self.back.extern_module(module, path);
        self
    }

    /// Makes no code for the definitions of an included file (named by the end of its path), and
    /// refers to the text that was made of it and is included in the Rust module `path`.
    #[must_use]
    pub fn extern_file(mut self, file: impl Into<String>, path: impl Into<String>) -> Self {
        self.back = self.back.extern_file(file, path);
        self
    }

    /// Takes the Rust type `path` for a native type, instead of one that holds anything:
    /// `native("Shop::Handle", "crate::Handle")`. It is to be `Clone`, `Debug`, `Send` and `Sync`,
    /// and `Error` where it is raised.
    #[must_use]
    pub fn native(mut self, native: impl Into<String>, path: impl Into<String>) -> Self {
        self.back = self.back.native(native, path);
        self
    }

    /// Has the `sequence<octet>` results of an operation or attribute be `zorb::Lent` instead of
    /// `Vec<u8>`: octets that over shared memory need not be copied. `lent("Film::Camera::shoot")`; the
    /// name of an interface or module means all that is in it. A name that means nothing in any of the
    /// files is warned of.
    #[must_use]
    pub fn lent(mut self, name: impl Into<String>) -> Self {
        self.back = self.back.lent(name);
        self
    }

    /// Takes the runtime from the crate at `path` instead of `::zorb`.
    #[must_use]
    pub fn runtime(mut self, path: impl Into<String>) -> Self {
        self.back = self.back.runtime(path);
        self
    }

    /// Compiles in a build script: writes the Rust files, tells Cargo which files were read, and
    /// shows warnings.
    ///
    /// On failure it prints why and ends the build script with status 1.
    pub fn compile(&self, files: &[impl AsRef<Path>]) {
        match self.try_compile(files) {
            Ok(outputs) => {
                for warning in outputs.iter().flat_map(|output| &output.warnings) {
                    cargo::warning(warning);
                }
            }
            Err(error) => {
                eprintln!("{error}");
                std::process::exit(1);
            }
        }
    }

    /// The same, for a script that handles failure itself; warnings are returned, not shown.
    ///
    /// # Errors
    /// When the IDL has errors or a file cannot be written.
    pub fn try_compile(&self, files: &[impl AsRef<Path>]) -> Result<Vec<Output>, Error> {
        let from_cargo = || std::env::var_os("OUT_DIR").map(PathBuf::from);
        let folder = self.out_dir.clone().or_else(from_cargo).ok_or(Error::NoOutDir)?;
        let outputs = self.generate_from(&DiskLoader, files, &mut |compilation| {
            // Also of files with errors: Cargo is to run the script again when they are mended.
            compilation.dependencies().iter().for_each(|path| cargo::rerun_if_changed(path));
        })?;
        for output in &outputs {
            let path = folder.join(format!("{}.rs", output.name));
            std::fs::write(&path, &output.text).map_err(|source| Error::Write { path, source })?;
        }
        Ok(outputs)
    }

    /// Compiles without writing anything or speaking to Cargo: what `zorb idl compile` does.
    ///
    /// # Errors
    /// When the IDL has errors.
    pub fn generate(&self, files: &[impl AsRef<Path>]) -> Result<Vec<Output>, Error> {
        self.generate_from(&DiskLoader, files, &mut |_| {})
    }

    fn generate_from(
        &self,
        loader: &dyn FileLoader,
        files: &[impl AsRef<Path>],
        seen: &mut dyn FnMut(&Compilation),
    ) -> Result<Vec<Output>, Error> {
        let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
        let mut jobs: Vec<(String, Vec<&Path>)> = Vec::new();
        if let Some(name) = &self.combined {
            jobs.push((name.clone(), files));
        } else {
            for file in files {
                let name = stem(file)?;
                if jobs.iter().any(|(other, _)| *other == name) {
                    return Err(Error::SameName(format!("{name}.rs").into()));
                }
                jobs.push((name, vec![file]));
            }
        }
        // Every job runs, so that one run shows all errors.
        let mut errors = String::new();
        let mut outputs = Vec::new();
        let mut unlent: Option<Vec<&str>> = None;
        for (name, files) in jobs {
            let mut compilation = compile_with(&self.front, loader, &files);
            seen(&compilation);
            if !compilation.has_errors() {
                let unsupported = zorb_idl_rust::unsupported(&compilation, &self.back);
                compilation.diagnostics.extend(unsupported);
            }
            if compilation.has_errors() {
                errors.push_str(&compilation.render());
            } else {
                let mut here = zorb_idl_rust::lends_nothing(&compilation, &self.back);
                if let Some(before) = &unlent {
                    here.retain(|name| before.contains(name));
                }
                unlent = Some(here);
                outputs.push(self.output(name, &compilation));
            }
        }
        if let Some(last) = outputs.last_mut() {
            let warning =
                |name| format!("lent({name:?}): nothing of this name returns sequences of octets");
            last.warnings.extend(unlent.into_iter().flatten().map(warning));
        }
        if errors.is_empty() { Ok(outputs) } else { Err(Error::Idl(errors)) }
    }

    fn output(&self, name: String, compilation: &Compilation) -> Output {
        let generated = zorb_idl_rust::generate(compilation, &self.back);
        let mut warnings: Vec<String> = Vec::new();
        let findings = compilation.render();
        if !findings.is_empty() {
            warnings.push(findings);
        }
        warnings.extend(generated.warnings.iter().map(|warning| {
            let place = compilation.sources.location(warning.span);
            format!("{}:{}:{}: {}", place.path, place.line, place.column, warning.message)
        }));
        let dependencies = compilation.dependencies().to_vec();
        Output { name, text: generated.text, warnings, dependencies }
    }
}

/// The name of the Rust file for an IDL file.
fn stem(file: &Path) -> Result<String, Error> {
    let stem = file.file_stem().and_then(|stem| stem.to_str());
    stem.map(str::to_owned).ok_or_else(|| Error::BadName(file.to_owned()))
}
