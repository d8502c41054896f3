//! Options of the generator.

use crate::Usage;

/// Options of the generator. By default it uses the `zorb` crate and generates code for everything.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The absolute path of the crate with `Result` and `codegen`, instead of the target's.
    pub runtime: Option<String>,
    /// IDL modules (scoped names) with existing Rust code, and its path.
    pub extern_modules: Vec<(String, String)>,
    /// IDL files (the end of their path) with existing Rust code, and the module that contains it.
    pub extern_files: Vec<(String, String)>,
    /// Native types (scoped names), and the Rust types they map to.
    pub natives: Vec<(String, String)>,
    /// Operations and attributes (scoped names), or their scopes, whose octets are loaned.
    pub loaned: Vec<String>,
    /// Operations and attributes (scoped names), or their scopes, whose servants get the upcall.
    pub upcalls: Vec<String>,
    /// Interfaces (scoped names), or their scopes, that get servant traits whose methods answer later.
    pub deferred: Vec<String>,
    /// Operations and attributes (scoped names), or their scopes, that can be called without waiting.
    pub ami: Vec<String>,
    /// Structs, operations and attributes (scoped names), or their scopes, that get views.
    pub views: Vec<String>,
    /// How values, arguments and results are marshalled.
    pub marshal: Marshal,
    /// What [`Marshal::Profile`] chooses by.
    pub usage: Usage,
    /// The ORB that the code is for.
    pub target: Target,
    /// How a server of the small ORB finds operations.
    pub lookup: Lookup,
}

/// The ORB that code is generated for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// The full ORB: `zorb`.
    #[default]
    Zorb,
    /// The small ORB, `zorb-nano`: code without `std` that allocates nothing.
    Nano,
}

/// How a server of the small ORB finds an operation by its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lookup {
    /// By comparing one after the other, which is small.
    #[default]
    Linear,
    /// By one hash and one comparison, which is fast for many operations.
    PerfectHash,
}

/// The choice between two marshalling engines. Both produce and accept the same octets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marshal {
    /// Code for each type and operation, which is fast.
    #[default]
    Compiled,
    /// Tables for an engine that all types and operations share, which is small.
    Interpretive,
    /// Compiled for the operations that make up most calls of a [usage](Options::usage) and for the types of their
    /// arguments and results, interpretive for the rest: nearly as fast as the one and as small as the other.
    Profile,
}

impl Options {
    /// The default options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the path of the runtime crate, instead of the [target](Self::target)'s: `::zorb` or `::zorb_nano`.
    #[must_use]
    pub fn runtime(mut self, path: impl Into<String>) -> Self {
        self.runtime = Some(path.into());
        self
    }

    /// The path of the runtime crate.
    pub(crate) fn runtime_path(&self) -> &str {
        let default = match self.target {
            Target::Zorb => "::zorb",
            Target::Nano => "::zorb_nano",
        };
        self.runtime.as_deref().unwrap_or(default)
    }

    /// Generates no code for an IDL module; references use `path`: `extern_module("CosNaming",
    /// "::zorb_naming::cos_naming")`.
    #[must_use]
    pub fn extern_module(mut self, module: impl Into<String>, path: impl Into<String>) -> Self {
        self.extern_modules.push((scoped_name(module), path.into()));
        self
    }

    /// Generates no code for the definitions of an included file; references use the code generated
    /// from that file, which is included in the Rust module `path`: `extern_file("geo.idl",
    /// "crate::geo")`. The standard's own files, `orb.idl`, `IOP.idl`, `Components.idl` and `Messaging.idl`, are
    /// generated from each file that uses their definitions.
    #[must_use]
    pub fn extern_file(mut self, file: impl Into<String>, path: impl Into<String>) -> Self {
        self.extern_files.push((file.into(), path.into()));
        self
    }

    /// Maps a native type to the Rust type `path`: `native("Shop::Handle", "crate::Handle")`. The
    /// type must implement `Clone`, `Debug`, `Send` and `Sync`, and `Error` if an operation raises
    /// it.
    #[must_use]
    pub fn native(mut self, native: impl Into<String>, path: impl Into<String>) -> Self {
        self.natives.push((scoped_name(native), path.into()));
        self
    }

    /// Maps the `sequence<octet>` results of an operation or attribute to the runtime's type
    /// `LoanedOctets`, which need not be copied, instead of `Vec<u8>`:
    /// `loaned("Film::Camera::shoot")`. The name of an interface or module applies to all its
    /// operations and attributes.
    #[must_use]
    pub fn loaned(mut self, name: impl Into<String>) -> Self {
        self.loaned.push(scoped_name(name));
        self
    }

    /// Adds a parameter to the servant's methods for an operation or attribute, of the runtime's type `poa::Upcall`: the
    /// object, the operation and the client. `upcall("Shop::Account")`. The name of an interface or module applies to
    /// all its operations and attributes; annotations `@upcall` in the IDL take precedence.
    #[must_use]
    pub fn upcall(mut self, name: impl Into<String>) -> Self {
        self.upcalls.push(scoped_name(name));
        self
    }

    /// Generates two more servant traits for an interface: one whose methods answer later by a response, and one with
    /// asynchronous methods (asynchronous method handling). `deferred("Shop::Account")`. The name of a module applies to
    /// all its interfaces, and the bases of each get the traits, too; annotations `@deferred` in the IDL take precedence.
    #[must_use]
    pub fn deferred(mut self, name: impl Into<String>) -> Self {
        self.deferred.push(scoped_name(name));
        self
    }

    /// Whether an interface gets servant traits whose methods answer later.
    pub(crate) fn is_deferred(&self, interface: &str) -> bool {
        self.deferred.iter().any(|name| Self::is_scope_of(name, interface))
    }

    /// Adds a method `send_OP` to references for an operation or attribute, which sends a call without waiting and
    /// returns the runtime's type `Pending` (asynchronous method invocation, AMI), and a function `send_OP_to_all`, which
    /// sends it to many objects; for a one-way operation only the latter: `ami("Shop::Account")`. The small ORB has no
    /// pending calls: there, other operations get neither. The name of
    /// an interface or module applies to all its operations and attributes; annotations `@ami` in the IDL take
    /// precedence.
    #[must_use]
    pub fn ami(mut self, name: impl Into<String>) -> Self {
        self.ami.push(scoped_name(name));
        self
    }

    /// Generates views for a struct, an operation or an attribute: `view("Shop::Item")`. A struct gets a type whose methods
    /// read its members in place from received octets. Servants get such views as arguments of an operation, and references
    /// a method `view_OP`, which passes views of the results to a function. The name of an interface or module applies to
    /// all its operations, attributes and structs; annotations `@view` in the IDL take precedence.
    #[must_use]
    pub fn view(mut self, name: impl Into<String>) -> Self {
        self.views.push(scoped_name(name));
        self
    }

    /// Whether a definition, or an export of an interface, gets views.
    pub(crate) fn is_viewed(&self, name: &str) -> bool {
        self.views.iter().any(|of| Self::is_scope_of(of, name))
    }

    /// Sets the engine that marshals the values of structs, enums and exceptions, and the arguments and results of
    /// interfaces. Annotations `@marshal` in the IDL take precedence. Default: [`Marshal::Compiled`].
    #[must_use]
    pub fn marshal(mut self, marshal: Marshal) -> Self {
        self.marshal = marshal;
        self
    }

    /// Adds what a program has counted, by which [`Marshal::Profile`] chooses. Without any, nothing is compiled that has
    /// tables.
    #[must_use]
    pub fn usage(mut self, usage: &Usage) -> Self {
        self.usage.add(usage);
        self
    }

    /// Sets the ORB that the code is for. Default: [`Target::Zorb`].
    #[must_use]
    pub fn target(mut self, target: Target) -> Self {
        self.target = target;
        self
    }

    /// Sets how a server of the small ORB finds operations. Default: [`Lookup::Linear`].
    #[must_use]
    pub fn lookup(mut self, lookup: Lookup) -> Self {
        self.lookup = lookup;
        self
    }

    /// Whether this operation or attribute of an interface can be called without waiting.
    pub(crate) fn is_asynchronous(&self, interface: &str, export: &str) -> bool {
        self.ami.iter().any(|name| Self::is_within(name, interface, export))
    }

    /// Whether the servant's methods for this operation or attribute of an interface get the upcall.
    pub(crate) fn gets_upcall(&self, interface: &str, export: &str) -> bool {
        self.upcalls.iter().any(|name| Self::is_within(name, interface, export))
    }

    /// Whether the results of this operation or attribute of an interface are loaned.
    pub(crate) fn is_loaned(&self, interface: &str, export: &str) -> bool {
        self.loaned.iter().any(|name| Self::is_within(name, interface, export))
    }

    /// Whether this operation or attribute of an interface is `of`, or inside the scope `of`.
    pub(crate) fn is_within(of: &str, interface: &str, export: &str) -> bool {
        Self::is_scope_of(of, &format!("{interface}::{export}"))
    }

    /// Whether `name` is `of`, or inside the scope `of`.
    pub(crate) fn is_scope_of(of: &str, name: &str) -> bool {
        name.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    }
}

/// A scoped name as the model has it, without the `::` of the global scope.
fn scoped_name(name: impl Into<String>) -> String {
    name.into().trim_start_matches("::").into()
}
