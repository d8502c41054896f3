//! What there is no Rust for yet: one finding for each use, in one place.
//!
//! When the back end learns a construct, its line here goes.

use zorb_idl::model::{Export, Member, Operation, Param};
use zorb_idl::{Code, Compilation, DefinitionKind, Diagnostic, Model, Span, Type};

use crate::Options;
use crate::names::external;

/// The constructs of a compilation that have no Rust yet, as errors in the order of the
/// definitions; none when [`crate::generate`] can make everything. Definitions whose Rust the
/// options say to exist are not looked at.
#[must_use]
pub fn unsupported(compilation: &Compilation, options: &Options) -> Vec<Diagnostic> {
    let model = &compilation.model;
    let mut found = Found { model, findings: Vec::new() };
    let external = external(compilation, options);
    for (definition, external) in model.definitions().zip(external) {
        // What a construct implies goes with it.
        if external.is_some() || definition.implied_by.is_some() {
            continue;
        }
        found.definition(&definition.kind, definition.span);
        if !matches!(
            definition.kind,
            DefinitionKind::Component(_) | DefinitionKind::Home(_) | DefinitionKind::Event(_)
        ) {
            found.exports(model.exports(definition.id));
            let parents = model.parents(definition.id).into_iter();
            parents.for_each(|id| found.ty(&Type::Named(id), definition.span));
        }
    }
    found.findings
}

#[derive(Debug)]
struct Found<'m> {
    model: &'m Model,
    findings: Vec<Diagnostic>,
}

impl Found<'_> {
    fn push(&mut self, code: Code, span: Span) {
        let again = |item: &Diagnostic| item.code == code && item.span == Some(span);
        if !self.findings.last().is_some_and(again) {
            let message = format!("{}, in Rust", code.info().title);
            self.findings.push(Diagnostic::new(code, span, message));
        }
    }

    fn definition(&mut self, kind: &DefinitionKind, span: Span) {
        match kind {
            DefinitionKind::Value(_) | DefinitionKind::ValueBox(_)
                if holds_local(self.model, kind) =>
            {
                self.push(Code::ValueTypeUnsupported, span);
            }
            DefinitionKind::Value(item) => {
                item.members.iter().for_each(|item| self.ty(&item.member.ty, item.member.span));
                item.initializers.iter().for_each(|item| {
                    item.params.iter().for_each(|param| self.ty(&param.ty, param.span));
                    item.raises.iter().for_each(|id| self.ty(&Type::Named(*id), item.span));
                });
            }
            DefinitionKind::ValueBox(item) => self.ty(&item.ty, span),
            DefinitionKind::Component(_)
            | DefinitionKind::Home(_)
            | DefinitionKind::PortType(_)
            | DefinitionKind::Connector(_) => self.push(Code::ComponentUnsupported, span),
            DefinitionKind::Event(_) => self.push(Code::EventTypeUnsupported, span),
            DefinitionKind::Struct(item) | DefinitionKind::Exception(item) => {
                self.members(&item.members);
            }
            DefinitionKind::Union(item) => {
                self.ty(&item.discriminator, span);
                item.cases.iter().for_each(|case| self.ty(&case.ty, case.span));
            }
            DefinitionKind::Typedef(item) => self.ty(&item.ty, span),
            DefinitionKind::Const(item) => self.ty(&item.ty, span),
            DefinitionKind::Module(_)
            | DefinitionKind::Interface(_)
            | DefinitionKind::Enum(_)
            | DefinitionKind::TemplateModule(_)
            | DefinitionKind::Native
            | DefinitionKind::Bitmask(_)
            | DefinitionKind::Bitset(_)
            | DefinitionKind::Annotation(_) => {}
        }
    }

    fn members(&mut self, members: &[Member]) {
        members.iter().for_each(|member| self.ty(&member.ty, member.span));
    }

    fn exports(&mut self, exports: &[Export]) {
        for export in exports {
            match export {
                Export::Operation(operation) => self.operation(operation),
                Export::Attribute(attribute) => self.ty(&attribute.ty, attribute.span),
                Export::Definition(_) => {}
            }
        }
    }

    fn operation(&mut self, operation: &Operation) {
        self.ty(&operation.result, operation.span);
        let params = operation.params.iter();
        params.for_each(|Param { ty, span, .. }| self.ty(ty, *span));
        let raises = operation.raises.iter();
        raises.for_each(|id| self.ty(&Type::Named(*id), operation.span));
    }

    /// A type where it is written; what its name stands for is looked at where it is defined.
    fn ty(&mut self, ty: &Type, span: Span) {
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            match ty {
                Type::Sequence { element, .. } | Type::Array { element, .. } => work.push(element),
                Type::Map { key, value, .. } => work.extend([&**key, &**value]),
                Type::Named(id) if self.model[*id].built_in => {
                    self.push(Code::PseudoTypeUnsupported, span);
                }
                _ => {}
            }
        }
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
