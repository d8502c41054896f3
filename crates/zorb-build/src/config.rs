//! Configuration of the compiler.

#[cfg(test)]
mod tests;
mod unmatched;

use std::path::{Path, PathBuf};

use zorb_idl::{Code, Compilation, DiskLoader, FileLoader, compile_with};
use zorb_idl_rust::{Lookup, Marshal, Target};

use self::unmatched::Unmatched;
use crate::handlers::with_handlers;
use crate::{Error, cargo, usage};

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
    usage_files: Vec<PathBuf>,
    reply_handlers: bool,
}

/// The Rust code generated from one file, or from several combined.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Output {
    /// The name of the Rust file without `.rs`: the argument of `zorb::include_idl!`.
    pub name: String,
    /// The Rust code.
    pub text: String,
    /// The warnings, rendered as text.
    pub warnings: Vec<String>,
    /// Every file read, included files too.
    pub dependencies: Vec<PathBuf>,
}

impl Config {
    /// The default options.
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

    /// Makes tolerable faults with this code warnings; [`Code::TOLERABLE`] lists them.
    #[must_use]
    pub fn allow(mut self, code: Code) -> Self {
        self.front = self.front.allow(code);
        self
    }

    /// Sets the output folder, instead of Cargo's `OUT_DIR`.
    #[must_use]
    pub fn out_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(path.into());
        self
    }

    /// Generates one Rust file, `name`.rs, from all files, so that they share the types of common
    /// includes.
    #[must_use]
    pub fn combined(mut self, name: impl Into<String>) -> Self {
        self.combined = Some(name.into());
        self
    }

    /// Generates no code for an IDL module; references use the Rust module `path`.
    #[must_use]
    pub fn extern_module(mut self, module: impl Into<String>, path: impl Into<String>) -> Self {
        self.back = self.back.extern_module(module, path);
        self
    }

    /// Generates no code for the definitions of an included file (identified by the end of its
    /// path); references use the code generated from it, which is included in the Rust module
    /// `path`.
    #[must_use]
    pub fn extern_file(mut self, file: impl Into<String>, path: impl Into<String>) -> Self {
        self.back = self.back.extern_file(file, path);
        self
    }

    /// Maps a native type to the Rust type `path`, instead of a type that can hold any value:
    /// `native("Shop::Handle", "crate::Handle")`. The type must implement `Clone`, `Debug`, `Send`
    /// and `Sync`, and `Error` if an operation raises it.
    #[must_use]
    pub fn native(mut self, native: impl Into<String>, path: impl Into<String>) -> Self {
        self.back = self.back.native(native, path);
        self
    }

    /// Maps the `sequence<octet>` results of an operation or attribute to `zorb::LoanedOctets`
    /// instead of `Vec<u8>`; over shared memory these octets need not be copied:
    /// `loaned("Film::Camera::shoot")`. The name of an interface or module applies to all its
    /// operations and attributes. A name that matches none in any of the files causes a warning.
    #[must_use]
    pub fn loaned(mut self, name: impl Into<String>) -> Self {
        self.back = self.back.loaned(name);
        self
    }

    /// Adds a parameter to the servant's methods for an operation or attribute, `&zorb::poa::Upcall<'_>`: the object, the
    /// operation and the client. `upcall("Shop::Account")`. The name of an interface or module applies to all its
    /// operations and attributes; annotations `@upcall` in the IDL take precedence. A name that matches none in any of
    /// the files causes a warning.
    #[must_use]
    pub fn upcall(mut self, name: impl Into<String>) -> Self {
        self.back = self.back.upcall(name);
        self
    }

    /// Generates two more servant traits for an interface, for servants that answer later (asynchronous method handling):
    /// `deferred("Shop::Account")` adds `AccountDeferredServant`, whose methods get a `zorb::poa::Response`, and
    /// `AccountAsyncServant` with asynchronous methods. The name of a module applies to all its interfaces, and the bases
    /// of each get the traits, too; annotations `@deferred` in the IDL take precedence. A name that matches no interface
    /// in any of the files causes a warning.
    #[must_use]
    pub fn deferred(mut self, name: impl Into<String>) -> Self {
        self.back = self.back.deferred(name);
        self
    }

    /// Adds a method `send_OP` to references for an operation or attribute, which sends a call without waiting and
    /// returns a `zorb::Pending` (asynchronous method invocation, AMI), and a function `send_OP_to_all`, which sends it to
    /// many objects; for a one-way operation only the latter: `ami("Shop::Account")`. The name of an
    /// interface or module applies to all its operations and attributes; annotations `@ami` in the IDL take precedence.
    /// A name that matches none in any of the files causes a warning.
    #[must_use]
    pub fn ami(mut self, name: impl Into<String>) -> Self {
        self.back = self.back.ami(name);
        self
    }

    /// Generates views for a struct, an operation or an attribute: `view("Shop::Item")`. A struct `Item` gets a type
    /// `ItemView`, whose methods read its members in place from received octets. Servants get such views as arguments of an
    /// operation, and references a method `view_OP`, which passes views of the results to a function. The name of an
    /// interface or module applies to all its operations, attributes and structs; annotations `@view` in the IDL take
    /// precedence. A name that matches none in any of the files causes a warning.
    #[must_use]
    pub fn view(mut self, name: impl Into<String>) -> Self {
        self.back = self.back.view(name);
        self
    }

    /// Generates the reply handlers of the standard's asynchronous calls, too: for each interface that is not local,
    /// `Account` for example, the interface `AMI_AccountHandler` that it implies, and for the operations that
    /// [`ami`](Self::ami) selects methods `sendc_OP` of references, which send a call and pass its result to a handler.
    #[must_use]
    pub fn reply_handlers(mut self) -> Self {
        if !std::mem::replace(&mut self.reply_handlers, true) {
            let runtime = self.back.runtime.clone().unwrap_or_else(|| "::zorb".to_owned());
            self.back = self.back.extern_file("Messaging.idl", runtime);
        }
        self
    }

    /// Sets the engine that marshals the values of structs, enums and exceptions, and the arguments and results of
    /// interfaces: [`Marshal::Compiled`] is fast and the default, [`Marshal::Interpretive`] is small, and
    /// [`Marshal::Profile`] compiles what a program has used most, according to [`usage_file`](Self::usage_file).
    /// Annotations `@marshal(COMPILED)` and `@marshal(INTERPRETIVE)` in the IDL take precedence; that of a module or
    /// interface applies to what it contains.
    #[must_use]
    pub fn marshal(mut self, marshal: Marshal) -> Self {
        self.back = self.back.marshal(marshal);
        self
    }

    /// Adds a usage file for [`Marshal::Profile`], which a program writes with the option `UsageFile`. The calls in
    /// several files are added, for example those of clients and servers.
    #[must_use]
    pub fn usage_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.usage_files.push(path.into());
        self
    }

    /// Sets the ORB that the code is for: [`Target::Zorb`] is the full ORB and the default, [`Target::Nano`] the small ORB,
    /// the crate `zorb-nano`. Constructs that the small ORB does not support are errors (E0314, E0315), and the options
    /// for upcalls, deferred servants, asynchronous calls, loans, views and the marshalling engine have no effect.
    #[must_use]
    pub fn target(mut self, target: Target) -> Self {
        self.back = self.back.target(target);
        self
    }

    /// Sets how a server of the small ORB finds operations: [`Lookup::Linear`] is small and the default,
    /// [`Lookup::PerfectHash`] is fast for many operations.
    #[must_use]
    pub fn lookup(mut self, lookup: Lookup) -> Self {
        self.back = self.back.lookup(lookup);
        self
    }

    /// Sets the path of the runtime crate, instead of the [target](Self::target)'s: `::zorb` or `::zorb_nano`.
    #[must_use]
    pub fn runtime(mut self, path: impl Into<String>) -> Self {
        self.back = self.back.runtime(path);
        self
    }

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
    /// When the IDL has errors, a file cannot be written, or a usage file is missing or invalid.
    pub fn try_compile(&self, files: &[impl AsRef<Path>]) -> Result<Vec<Output>, Error> {
        let from_cargo = || std::env::var_os("OUT_DIR").map(PathBuf::from);
        let folder = self.out_dir.clone().or_else(from_cargo).ok_or(Error::NoOutDir)?;
        self.usage_files.iter().for_each(|path| cargo::rerun_if_changed(path));
        let outputs = self.generate_from(&DiskLoader, files, &mut |compilation| {
            // Also for files with errors: Cargo must rerun the script when they are fixed.
            compilation.dependencies().iter().for_each(|path| cargo::rerun_if_changed(path));
        })?;
        for output in &outputs {
            let path = folder.join(format!("{}.rs", output.name));
            std::fs::write(&path, &output.text).map_err(|source| Error::Write { path, source })?;
        }
        Ok(outputs)
    }

    /// Compiles without writing files or instructions to Cargo, as `zorb idl compile` does.
    ///
    /// # Errors
    /// When the IDL has errors, or a usage file is missing or invalid.
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
