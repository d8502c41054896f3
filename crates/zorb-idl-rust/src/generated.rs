//! The output of the generator.

use zorb_idl::Span;

/// The output of the generator.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Generated {
    /// The formatted Rust code.
    pub text: String,
    /// The warnings, in the order of discovery.
    pub warnings: Vec<Warning>,
}

/// A name or value that was changed in the mapping, or an annotation without effect.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Warning {
    /// The change or the annotation, in one sentence without a full stop.
    pub message: String,
    /// The span in the IDL.
    pub span: Span,
}
