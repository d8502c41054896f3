//! Operations and attributes.

use std::collections::HashMap;
use std::rc::Rc;

use super::Resolver;
use super::scope::{NameKind, ScopeId, Target};
use super::standard::On;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{Attribute, DefId, DefinitionKind, Direction, Export, Operation, Param, Type};
use crate::source::Span;
use crate::syntax::{AttributeItem, OperationItem, ParamItem, ScopedName};

impl Resolver<'_> {
    pub(super) fn operation(&mut self, item: &OperationItem, owner: DefId, inside: ScopeId) {
        self.check_inherited(&item.name, inside);
        let result = self.value_type(&item.result, inside);
        self.reject_restricted(owner, &result, item.result.span);
        let (params, mut raises) = self.signature(&item.params, &item.raises, inside);
        for (param, resolved) in item.params.iter().zip(&params) {
            self.reject_restricted(owner, &resolved.ty, param.ty.span);
        }
        self.reject_native_raises(owner, &item.raises, &raises);
        self.check_contexts(&item.contexts);
        if item.oneway {
            self.check_oneway(item, &result);
            raises.clear();
        }
        if self.declare(inside, &item.name, Target::Export(owner), NameKind::Export)
            && let Some(exports) = self.exports_mut(owner)
        {
            exports.push(Export::Operation(Operation {
                name: item.name.text.to_string(),
                oneway: item.oneway,
                result,
                params,
                raises,
                annotations: Vec::new(),
                contexts: item.contexts.iter().map(|(name, _)| name.to_string()).collect(),
                docs: item.docs.as_deref().map(str::to_owned),
                span: item.name.span,
            }));
        }
    }

    /// Resolves parameters and exceptions.
    pub(super) fn signature(
        &mut self,
        items: &[ParamItem],
        raises: &[ScopedName],
        inside: ScopeId,
    ) -> (Vec<Param>, Vec<DefId>) {
        // Parameters have their own scope, but a name used in it is also introduced into the
        // interface.
        let own = self.new_scope(None, inside, false);
        let mut params = Vec::new();
        for param in items {
            let ty = self.value_type(&param.ty, own);
            let annotations = self.annotate(&param.annotations, On::PARAMETER, Some(&ty), own);
            if self.declare(own, &param.name, Target::Member, NameKind::Parameter) {
                params.push(Param {
                    direction: param.direction,
                    annotations,
                    name: param.name.text.to_string(),
                    ty,
                    docs: param.docs.as_deref().map(str::to_owned),
                    span: param.name.span,
                });
            }
        }
        let raises = self.raises(raises, own);
        self.scopes.pop();
        (params, raises)
    }

    fn reject_native_raises(&mut self, owner: DefId, names: &[ScopedName], raises: &[DefId]) {
        if let Some(first) = names.first() {
            for id in raises {
                self.reject_restricted(owner, &Type::Named(*id), first.span);
            }
        }
    }

    fn check_contexts(&mut self, contexts: &[(Rc<str>, Span)]) {
        for (name, span) in contexts {
            let rest = name.strip_suffix('*').unwrap_or(name);
            let fine = rest.starts_with(|char: char| char.is_ascii_alphabetic())
                && rest.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'.' | b'_'));
            if !fine {
                let message = format!("`{name}` is not a valid property name");
                self.sink.push(Diagnostic::new(Code::BadContextName, *span, message).hint(
                    "a property name starts with a letter, continues with letters, digits, `.` and `_`, \
                     and may end in `*`",
                ));
            }
        }
    }

    pub(super) fn check_oneway(&mut self, item: &OperationItem, result: &Type) {
        let mut problems = Vec::new();
        if !matches!(result, Type::Void | Type::Error) {
            problems.push((item.result.span, "a oneway operation has no result"));
        }
        for param in &item.params {
            if param.direction != Direction::In {
                problems.push((param.name.span, "a oneway operation has only `in` parameters"));
            }
        }
        let diagnostic = |span, message| {
            Diagnostic::new(Code::BadOneway, span, message)
                .hint("a oneway request has no reply: remove `oneway` or this")
        };
        for (span, message) in problems {
            self.sink.push(diagnostic(span, message));
        }
        if let Some(first) = item.raises.first() {
            let message = "a oneway operation cannot raise exceptions";
            self.sink.push_tolerable(diagnostic(first.span, message));
        }
    }

    fn raises(&mut self, names: &[ScopedName], scope: ScopeId) -> Vec<DefId> {
        let mut raises = Vec::new();
        let mut seen: HashMap<DefId, Span> = HashMap::new();
        for name in names {
            let Some(id) = self.exception_name(name, scope) else { continue };
            if let Some(first) = seen.get(&id) {
                let message = "duplicate exception in `raises`";
                let diagnostic = Diagnostic::new(Code::DuplicateRaises, name.span, message);
                self.sink.push(diagnostic.label(*first, "first listed here"));
            } else {
                seen.insert(id, name.span);
                raises.push(id);
            }
        }
        raises
    }

    pub(super) fn attribute(&mut self, item: &AttributeItem, owner: DefId, inside: ScopeId) {
        let ty = self.value_type(&item.ty, inside);
        let get_raises = self.raises(&item.get_raises, inside);
        let set_raises = self.raises(&item.set_raises, inside);
        self.reject_restricted(owner, &ty, item.ty.span);
        self.reject_native_raises(owner, &item.get_raises, &get_raises);
        self.reject_native_raises(owner, &item.set_raises, &set_raises);
        for name in &item.names {
            self.check_inherited(name, inside);
            if self.declare(inside, name, Target::Export(owner), NameKind::Export) {
                self.add_attribute(
                    owner,
                    Attribute {
                        name: name.text.to_string(),
                        readonly: item.readonly,
                        ty: ty.clone(),
                        annotations: Vec::new(),
                        get_raises: get_raises.clone(),
                        set_raises: set_raises.clone(),
                        docs: item.docs.as_deref().map(str::to_owned),
                        span: name.span,
                    },
                );
            }
        }
    }

    pub(super) fn add_attribute(&mut self, owner: DefId, attribute: Attribute) {
        if let Some(exports) = self.exports_mut(owner) {
            exports.push(Export::Attribute(attribute));
            return;
        }
        let definition = self.model.definitions.get_mut(owner.index());
        match definition.map(|definition| &mut definition.kind) {
            Some(DefinitionKind::PortType(item)) => item.attributes.push(attribute),
            Some(DefinitionKind::Connector(item)) => item.attributes.push(attribute),
            _ => {}
        }
    }

    pub(super) fn exports_mut(&mut self, id: DefId) -> Option<&mut Vec<Export>> {
        match &mut self.model.definitions.get_mut(id.index())?.kind {
            DefinitionKind::Interface(interface) => Some(&mut interface.exports),
            DefinitionKind::Value(value) => Some(&mut value.exports),
            DefinitionKind::Event(item) => Some(&mut item.value.exports),
            DefinitionKind::Component(item) => Some(&mut item.interface.exports),
            _ => None,
        }
    }
}
