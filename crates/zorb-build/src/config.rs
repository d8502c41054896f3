//! Configuration of the compiler.

mod compile;
#[cfg(test)]
mod tests;
mod unmatched;

use std::path::PathBuf;

use zorb_idl::Code;
use zorb_idl_rust::{Lookup, Marshal, Target};

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
    /// Whether the program has chosen the marshalling engine.
    chooses_engine: bool,
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
    /// many objects; for a one-way operation only the latter: `ami("Shop::Account")`. The small ORB has no pending calls:
    /// there, other operations get neither. The name of an
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
    /// interface applies to what it contains. Where this is not called, the variable `IDL_MARSHAL` of a build script's
    /// environment chooses: `compiled` or `interpretive`.
    #[must_use]
    pub fn marshal(mut self, marshal: Marshal) -> Self {
        self.back = self.back.marshal(marshal);
        self.chooses_engine = true;
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
}
