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
//! The code is one file per compilation: IDL modules become `pub mod`s, and definitions from
//! included files are generated too, so that the code is self-contained. The mapping chapter of the
//! book specifies the mapping of each construct. The code contains signatures and data; bodies are
//! calls of macros in the runtime's hidden `codegen` module, which keeps the code short enough to
//! read.
#![forbid(unsafe_code)]

mod ami;
mod bounds;
mod deferred;
mod derives;
mod docs;
mod emit;
mod empty;
mod generated;
mod layout;
mod loans;
mod marshal;
mod names;
mod nano;
mod numbers;
mod options;
mod selection;
mod types;
mod unsupported;
mod upcalls;
mod usage;
mod views;

pub use ami::unmatched_ami;
pub use bounds::{MarshalBounds, OperationBounds, Unbounded, marshal_bounds};
pub use deferred::unmatched_deferred;
pub use generated::{Generated, Warning};
pub use loans::unmatched_loans;
pub use options::{Lookup, Marshal, Options, Target};
pub use unsupported::unsupported;
pub use upcalls::unmatched_upcalls;
pub use usage::{Usage, UsageError, UsedOperation};
pub use views::unmatched_views;

use zorb_idl::Compilation;

/// Generates Rust code from a compilation.
///
/// Call it only for a compilation without errors and without [`unsupported`] constructs; after
/// errors, unresolved parts are omitted.
#[must_use]
pub fn generate(compilation: &Compilation, options: &Options) -> Generated {
    let (names, mut warnings) = names::Names::new(compilation, options);
    let mut generated = emit::run(&names, options);
    warnings.append(&mut generated.warnings);
    // An inherited method gets a name, and a warning, in each derived interface.
    let mut seen = std::collections::HashSet::new();
    warnings.retain(|warning| seen.insert(warning.clone()));
    Generated { warnings, ..generated }
}
