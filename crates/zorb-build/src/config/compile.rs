//! Compiling with the options of a [`Config`].

use std::path::{Path, PathBuf};

use zorb_idl::{Compilation, DiskLoader, FileLoader, compile_with};
use zorb_idl_rust::{Marshal, Target};

use super::unmatched::Unmatched;
use super::{Config, Output};
use crate::handlers::with_handlers;
use crate::{ENGINE, Error, cargo, usage};

impl Config {
    /// Compiles in a build script: writes the Rust files, tells Cargo which files were read, and
    /// shows warnings.
    ///
    /// On failure it prints the diagnostics and exits the build script with status 1.
    pub fn compile(&self, files: &[impl AsRef<Path>]) {
        match self.try_compile(files) {
            Ok(outputs) => {
                for warning in outputs.iter().flat_map(|output| &output.warnings) {
                    cargo::warning(warning);
                }
            }
            Err(error) => {
                eprintln!("{error}");
                if matches!(error, Error::Idl(_)) {
                    eprintln!("`zorb idl --explain CODE` explains an error");
                }
                std::process::exit(1);
            }
        }
    }

    /// Like [`compile`](Self::compile), for a script that handles failure itself; returns warnings
    /// instead of showing them.
    ///
    /// # Errors
    /// When the IDL has errors, a file cannot be written, a usage file is missing or invalid, or the variable `IDL_MARSHAL`
    /// names no engine.
    pub fn try_compile(&self, files: &[impl AsRef<Path>]) -> Result<Vec<Output>, Error> {
        let from_cargo = || std::env::var_os("OUT_DIR").map(PathBuf::from);
        let folder = self.out_dir.clone().or_else(from_cargo).ok_or(Error::NoOutDir)?;
        self.usage_files.iter().for_each(|path| cargo::rerun_if_changed(path));
        cargo::rerun_if_env_changed(ENGINE);
        let engine = std::env::var(ENGINE).unwrap_or_default();
        let outputs =
            self.with_engine(&engine)?.generate_from(&DiskLoader, files, &mut |compilation| {
                // Also for files with errors: Cargo must rerun the script when they are fixed.
                compilation.dependencies().iter().for_each(|path| cargo::rerun_if_changed(path));
            })?;
        for output in &outputs {
            let path = folder.join(format!("{}.rs", output.name));
            std::fs::write(&path, &output.text).map_err(|source| Error::Write { path, source })?;
        }
        Ok(outputs)
    }

    /// The same options with an engine by name, unless they choose one, or the name is empty.
    pub(super) fn with_engine(&self, name: &str) -> Result<Self, Error> {
        let marshal = match name {
            "" => return Ok(self.clone()),
            "compiled" => Marshal::Compiled,
            "interpretive" => Marshal::Interpretive,
            _ => return Err(Error::NoSuchEngine(name.to_owned())),
        };
        let config = self.clone();
        Ok(if self.chooses_engine { config } else { config.marshal(marshal) })
    }

    /// Compiles without writing files or instructions to Cargo, as `zorb idl compile` does.
    ///
    /// # Errors
    /// When the IDL has errors, or a usage file is missing or invalid.
    pub fn generate(&self, files: &[impl AsRef<Path>]) -> Result<Vec<Output>, Error> {
        self.generate_from(&DiskLoader, files, &mut |_| {})
    }

    pub(super) fn generate_from(
        &self,
        loader: &dyn FileLoader,
        files: &[impl AsRef<Path>],
        seen: &mut dyn FnMut(&Compilation),
    ) -> Result<Vec<Output>, Error> {
        let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
        let options = self.back_end()?;
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
        let mut unmatched: Option<Unmatched<'_>> = None;
        let mut is_profiled = options.marshal != Marshal::Profile;
        for (name, files) in jobs {
            let mut compilation = compile_with(&self.front, loader, &files);
            seen(&compilation);
            let dependencies = compilation.dependencies().to_vec();
            if self.reply_handlers && !compilation.has_errors() {
                compilation = with_handlers(&self.front, loader, &files, &compilation);
            }
            if !compilation.has_errors() {
                let unsupported = zorb_idl_rust::unsupported(&compilation, &options);
                compilation.diagnostics.extend(unsupported);
            }
            if compilation.has_errors() {
                errors.push_str(&compilation.render());
            } else {
                let here = Unmatched::new(&compilation, &options);
                unmatched = Some(match unmatched {
                    Some(before) => before.and(here),
                    None => here,
                });
                is_profiled |= options.usage.concerns(&compilation);
                outputs.push(Output { dependencies, ..output(name, &compilation, &options) });
            }
        }
        if let Some(last) = outputs.last_mut() {
            last.warnings.extend(unmatched.into_iter().flat_map(Unmatched::warnings));
            if !is_profiled {
                last.warnings
                    .push("the usage files contain no call of these interfaces".to_owned());
            }
        }
        if errors.is_empty() { Ok(outputs) } else { Err(Error::Idl(errors)) }
    }

    /// The options of the back end, with the contents of the usage files.
    fn back_end(&self) -> Result<zorb_idl_rust::Options, Error> {
        if self.back.target == Target::Nano {
            // The choice of an engine has no effect, so it needs no usage file.
            return Ok(self.back.clone().marshal(Marshal::Compiled));
        }
        if self.back.marshal != Marshal::Profile {
            return Ok(self.back.clone());
        }
        if self.usage_files.is_empty() {
            return Err(Error::NoUsage);
        }
        let mut options = self.back.clone();
        for path in &self.usage_files {
            options = options.usage(&usage::read(path)?);
        }
        Ok(options)
    }
}

fn output(name: String, compilation: &Compilation, options: &zorb_idl_rust::Options) -> Output {
    let generated = zorb_idl_rust::generate(compilation, options);
    let mut warnings: Vec<String> = Vec::new();
    let diagnostics = compilation.render();
    if !diagnostics.is_empty() {
        warnings.push(diagnostics);
    }
    warnings.extend(generated.warnings.iter().map(|warning| {
        let location = compilation.sources.location(warning.span);
        format!("{}:{}:{}: {}", location.path, location.line, location.column, warning.message)
    }));
    let dependencies = compilation.dependencies().to_vec();
    Output { name, text: generated.text, warnings, dependencies }
}

/// The name of the Rust file for an IDL file.
fn stem(file: &Path) -> Result<String, Error> {
    let stem = file.file_stem().and_then(|stem| stem.to_str());
    stem.map(str::to_owned).ok_or_else(|| Error::BadName(file.to_owned()))
}
