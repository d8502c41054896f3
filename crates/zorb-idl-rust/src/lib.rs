//! The Rust back end of Zorb's IDL compiler: a resolved IDL model in, formatted Rust out.
//!
//! ```
//! use zorb_idl::{MemoryLoader, compile_with};
//!
//! let files = MemoryLoader::new()
//!     .with("hello.idl", "module Hello { interface Greeter { string say_hello(in string name); }; };");
//! let compilation = compile_with(&zorb_idl::Options::new(), &files, &["hello.idl"]);
//! let generated = zorb_idl_rust::generate(&compilation, &zorb_idl_rust::Options::new());
//! assert!(generated.text.contains("pub fn say_hello(&self, name: &str) -> ::zorb::Result<String>"));
//! ```
//!
//! The text is one file for a whole compilation: IDL modules are `pub mod`s, definitions from
//! included files come along, so that the text stands alone. What a construct becomes is the table
//! of the book's mapping chapter. The text holds signatures and data; bodies are macros of the
//! runtime's hidden `codegen` module, which keeps the text short enough to read.
#![forbid(unsafe_code)]

mod derives;
mod docs;
mod emit;
mod layout;
mod lends;
mod names;
mod options;
mod types;
mod unsupported;

pub use lends::lends_nothing;
pub use options::Options;
pub use unsupported::unsupported;

use zorb_idl::{Compilation, Span};

/// The outcome of a generation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Generated {
    /// The Rust text, formatted.
    pub text: String,
    /// What the user of the text should know, in the order it was found.
    pub warnings: Vec<Warning>,
}

/// A name or value that could not be carried over as it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Warning {
    /// What was done, in one sentence without a full stop.
    pub message: String,
    /// Where in the IDL.
    pub span: Span,
}

/// Turns a compilation into Rust.
///
/// Call it only for a compilation without errors in which nothing is [`unsupported`]; of one with errors, the parts that could not be
/// understood are left out.
#[must_use]
pub fn generate(compilation: &Compilation, options: &Options) -> Generated {
    let (names, mut warnings) = names::Names::new(compilation, options);
    let mut generated = emit::run(&names, options);
    warnings.append(&mut generated.warnings);
    // Inherited methods are named, and reported, once for each heir.
    let mut seen = std::collections::HashSet::new();
    warnings.retain(|warning| seen.insert(warning.clone()));
    Generated { warnings, ..generated }
}
