//! The IDL front end of Zorb: OMG IDL files in, a resolved model and diagnostics out.
//!
//! ```
//! use zorb_idl::{MemoryLoader, Options, compile_with};
//!
//! let files = MemoryLoader::new().with(
//!     "hello.idl",
//!     "module hello { interface Greeter { string say_hello(in string name); }; };",
//! );
//! let compilation = compile_with(&Options::new(), &files, &["hello.idl"]);
//! assert!(!compilation.has_errors(), "{}", compilation.render());
//!
//! let greeter = compilation.model.find("hello::Greeter").expect("it is defined above");
//! assert_eq!(compilation.model[greeter].repository_id, "IDL:hello/Greeter:1.0");
//! for (_, operation) in compilation.model.all_operations(greeter) {
//!     assert_eq!(operation.name, "say_hello");
//! }
//! ```
//!
//! A compilation runs in three phases, each in its own module: the preprocessor turns files into
//! tokens, the parser turns tokens into a syntax tree, and name resolution lowers the tree to the
//! [`model`]. No phase stops at the first error: each reports it, recovers and continues, so one
//! run shows every mistake. Every diagnostic has a [`Code`] that [`explain`] describes at length.
//!
//! Input is untrusted: [`limits`] lists the bounds, and no input makes the compiler panic, hang or
//! exhaust memory.
#![forbid(unsafe_code)]

mod compile;
pub mod diagnostics;
pub mod implied;
mod lexer;
pub mod limits;
pub mod model;
mod options;
mod parser;
mod preprocess;
mod resolve;
pub mod source;
mod suggest;
mod syntax;

pub use compile::{Compilation, compile, compile_with};
pub use diagnostics::{Code, Diagnostic, Severity, explain};
pub use model::{DefId, Definition, DefinitionKind, Model, Type};
pub use options::Options;
pub use source::{DiskLoader, FileId, FileLoader, MemoryLoader, SourceMap, Span};
