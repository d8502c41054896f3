//! What there is no Rust for yet: one finding for each definition, in one place.
//!
//! When the back end learns a construct, its line here goes.

use zorb_idl::{Code, Compilation, DefinitionKind, Diagnostic, Model, Type};

use crate::Options;
use crate::names::external;

/// The constructs of a compilation that have no Rust yet, as errors in the order of the
/// definitions; none when [`crate::generate`] can make everything. Definitions whose Rust the
/// options say to exist are not looked at.
#[must_use]
pub fn unsupported(compilation: &Compilation, options: &Options) -> Vec<Diagnostic> {
    let model = &compilation.model;
    let external = external(compilation, options);
    let mut findings = Vec::new();
    for (definition, external) in model.definitions().zip(external) {
        // What a construct implies goes with it.
        if external.is_some() || definition.implied_by.is_some() {
            continue;
        }
        if let Some(code) = code_of(model, &definition.kind) {
            let message = format!("{}, in Rust", code.info().title);
            findings.push(Diagnostic::new(code, definition.span, message));
        }
    }
    findings
}

fn code_of(model: &Model, kind: &DefinitionKind) -> Option<Code> {
    match kind {
        DefinitionKind::Value(_) | DefinitionKind::ValueBox(_) if holds_local(model, kind) => {
            Some(Code::ValueTypeUnsupported)
        }
        DefinitionKind::Component(_)
        | DefinitionKind::Home(_)
        | DefinitionKind::PortType(_)
        | DefinitionKind::Connector(_) => Some(Code::ComponentUnsupported),
        DefinitionKind::Event(_) => Some(Code::EventTypeUnsupported),
        DefinitionKind::Module(_)
        | DefinitionKind::Interface(_)
        | DefinitionKind::Value(_)
        | DefinitionKind::ValueBox(_)
        | DefinitionKind::Struct(_)
        | DefinitionKind::Exception(_)
        | DefinitionKind::Union(_)
        | DefinitionKind::Enum(_)
        | DefinitionKind::Typedef(_)
        | DefinitionKind::Const(_)
        | DefinitionKind::TemplateModule(_)
        | DefinitionKind::Native
        | DefinitionKind::Bitmask(_)
        | DefinitionKind::Bitset(_)
        | DefinitionKind::Annotation(_) => None,
    }
}

/// Whether the state of a valuetype, or what is in a box, never leaves its process.
fn holds_local(model: &Model, kind: &DefinitionKind) -> bool {
    let is_local = |ty: &Type| {
        let facts = model.facts(ty);
        facts.local_interface || facts.native
    };
    match kind {
        DefinitionKind::Value(item) => item.members.iter().any(|item| is_local(&item.member.ty)),
        DefinitionKind::ValueBox(item) => is_local(&item.ty),
        _ => false,
    }
}
