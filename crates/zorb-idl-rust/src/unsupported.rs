//! Constructs that the back end does not support yet.

use zorb_idl::{Code, Compilation, DefinitionKind, Diagnostic, Model, Type};

use crate::empty::EmptyStructs;
use crate::names::external;
use crate::views::{ViewedStructs, unviewed};
use crate::{Options, Target, nano};

/// The unsupported constructs of a compilation, as errors in the order of the definitions; empty
/// when [`crate::generate`] can generate everything. Skips definitions that the options declare as
/// external.
#[must_use]
pub fn unsupported(compilation: &Compilation, options: &Options) -> Vec<Diagnostic> {
    let model = &compilation.model;
    let external = external(compilation, options);
    let empty = EmptyStructs::of(model);
    let viewed = ViewedStructs::of(model, options);
    let mut findings = Vec::new();
    for (definition, external) in model.definitions().zip(external) {
        // The definitions that a construct implies are covered by its own diagnostic.
        if external.is_some() || definition.implied_by.is_some() {
            continue;
        }
        let lacking = match options.target {
            Target::Zorb => {
                // Their code is `Code::ViewUnsupported`.
                findings.extend(unviewed(&viewed, options, definition));
                code_of(model, &definition.kind)
            }
            Target::Nano => {
                findings.extend(nano::unsupported(model, definition));
                None
            }
        };
        let in_elements = || empty.are_elements_in(&definition.kind);
        let of_elements = || in_elements().then_some(Code::EmptyElementUnsupported);
        if let Some(code) = lacking.or_else(of_elements) {
            let message = format!("{} by the Rust back end", code.info().title);
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

/// Whether the state of a valuetype, or the contents of a box, include a local or native type.
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
