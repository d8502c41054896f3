//! The equivalent IDL of ports, event types and homes.

use super::Resolver;
use super::scope::{NameKind, ScopeId, Target};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{
    DefId, DefinitionKind, Direction, Export, Interface, Member, Operation, Param, Port, PortKind,
    Struct, Type, Typedef,
};
use crate::source::Span;
use crate::syntax::Ident;

/// An implied operation, which no file contains.
pub(super) struct Implied<'n> {
    pub(super) name: String,
    pub(super) result: Type,
    /// `in` parameters.
    pub(super) params: Vec<(&'n str, Type)>,
    /// Exceptions of the module `Components`.
    pub(super) raises: &'n [&'n str],
    pub(super) span: Span,
}

impl Resolver<'_> {
    /// Adds the operations of a component's port.
    pub(super) fn equivalent_port(&mut self, port: &Port, owner: DefId, inside: ScopeId) {
        let (name, span) = (&port.name, port.span);
        let mut add = |name: String, result: Type, params: Vec<(&str, Type)>, raises: &[&str]| {
            self.imply(Implied { name, result, params, raises, span }, owner, inside);
        };
        match &port.kind {
            PortKind::Provides(ty) => add(format!("provide_{name}"), ty.clone(), Vec::new(), &[]),
            PortKind::Uses { ty, multiple: false } => {
                let connection = vec![("conxn", ty.clone())];
                let raises = ["AlreadyConnected", "InvalidConnection"];
                add(format!("connect_{name}"), Type::Void, connection, &raises);
                add(format!("disconnect_{name}"), ty.clone(), Vec::new(), &["NoConnection"]);
                add(format!("get_connection_{name}"), ty.clone(), Vec::new(), &[]);
            }
            PortKind::Uses { ty, multiple: true } => {
                self.equivalent_receptacle(name, ty, span, owner, inside);
            }
            PortKind::Emits(event) => {
                let Some(consumer) = self.consumer_of(*event) else { return };
                let mut add = |name: String, result: Type, params, raises: &[&str]| {
                    self.imply(Implied { name, result, params, raises, span }, owner, inside);
                };
                let parameter = vec![("consumer", consumer.clone())];
                add(format!("connect_{name}"), Type::Void, parameter, &["AlreadyConnected"]);
                add(format!("disconnect_{name}"), consumer, Vec::new(), &["NoConnection"]);
            }
            PortKind::Publishes(event) => {
                let Some(consumer) = self.consumer_of(*event) else { return };
                let Some(cookie) = self.standard_type("Cookie", span) else { return };
                let mut add = |name: String, result: Type, params, raises: &[&str]| {
                    self.imply(Implied { name, result, params, raises, span }, owner, inside);
                };
                let parameter = vec![("consumer", consumer.clone())];
                let raises = ["ExceededConnectionLimit"];
                add(format!("subscribe_{name}"), cookie.clone(), parameter, &raises);
                let parameter = vec![("ck", cookie)];
                add(format!("unsubscribe_{name}"), consumer, parameter, &["InvalidConnection"]);
            }
            PortKind::Consumes(event) => {
                let Some(consumer) = self.consumer_of(*event) else { return };
                let name = format!("get_consumer_{name}");
                let params = Vec::new();
                let implied = Implied { name, result: consumer, params, raises: &[], span };
                self.imply(implied, owner, inside);
            }
            PortKind::Extended { .. } => {}
        }
    }

    /// `uses multiple`: a struct of a connection and a cookie, and a sequence of it.
    fn equivalent_receptacle(
        &mut self,
        name: &str,
        ty: &Type,
        span: Span,
        owner: DefId,
        inside: ScopeId,
    ) {
        let Some(cookie) = self.standard_type("Cookie", span) else { return };
        let member = |name: &str, ty: Type| Member {
            name: name.to_owned(),
            ty,
            annotations: Vec::new(),
            docs: None,
            span,
        };
        let members = vec![member("objref", ty.clone()), member("ck", cookie.clone())];
        let kind = DefinitionKind::Struct(Struct { members, ..Struct::default() });
        let ident = Ident { text: format!("{name}Connection").into(), span };
        let connection = self.define(&ident, kind, &None, inside);
        let element = Box::new(Type::Named(connection));
        let kind = DefinitionKind::Typedef(Typedef { ty: Type::Sequence { element, bound: None } });
        let ident = Ident { text: format!("{name}Connections").into(), span };
        let connections = self.define(&ident, kind, &None, inside);
        self.implied_by(connection, owner);
        self.implied_by(connections, owner);
        let mut add = |name: String, result: Type, params, raises: &[&str]| {
            self.imply(Implied { name, result, params, raises, span }, owner, inside);
        };
        let parameter = vec![("connection", ty.clone())];
        let raises = ["ExceededConnectionLimit", "InvalidConnection"];
        add(format!("connect_{name}"), cookie.clone(), parameter, &raises);
        let parameter = vec![("ck", cookie)];
        add(format!("disconnect_{name}"), ty.clone(), parameter, &["InvalidConnection"]);
        add(format!("get_connections_{name}"), Type::Named(connections), Vec::new(), &[]);
    }

    pub(super) fn implied_by(&mut self, id: DefId, owner: DefId) {
        if let Some(definition) = self.model.definitions.get_mut(id.index()) {
            definition.implied_by = Some(owner);
        }
    }

    fn standard_type(&mut self, name: &str, span: Span) -> Option<Type> {
        self.standard_interface(name, span).map(Type::Named)
    }

    fn consumer_of(&self, event: DefId) -> Option<Type> {
        match &self.model.definition(event).kind {
            DefinitionKind::Event(item) => item.consumer.map(Type::Named),
            _ => None,
        }
    }

    /// Adds an implied operation to an interface.
    pub(super) fn imply(&mut self, item: Implied<'_>, owner: DefId, inside: ScopeId) {
        let ident = Ident { text: item.name.as_str().into(), span: item.span };
        self.check_inherited(&ident, inside);
        self.add_implied(item, owner, inside);
    }

    /// Adds an implied operation whose name is checked.
    fn add_implied(&mut self, item: Implied<'_>, owner: DefId, inside: ScopeId) {
        let span = item.span;
        let ident = Ident { text: item.name.as_str().into(), span };
        let raises: Vec<DefId> =
            item.raises.iter().filter_map(|name| self.standard_interface(name, span)).collect();
        if !self.declare(inside, &ident, Target::Export(owner), NameKind::Export) {
            return;
        }
        let param = |(name, ty): (&str, Type)| Param {
            direction: Direction::In,
            name: name.to_owned(),
            ty,
            annotations: Vec::new(),
            docs: None,
            span,
        };
        let operation = Operation {
            name: item.name,
            oneway: false,
            result: item.result,
            params: item.params.into_iter().map(param).collect(),
            raises,
            contexts: Vec::new(),
            annotations: Vec::new(),
            docs: None,
            span,
        };
        if let Some(exports) = self.exports_mut(owner) {
            exports.push(Export::Operation(operation));
        }
    }

    /// Adds an implied interface in the scope of `owner`; returns it and its scope.
    pub(super) fn implied_interface(
        &mut self,
        name: String,
        span: Span,
        bases: Vec<DefId>,
        owner: DefId,
        scope: ScopeId,
    ) -> (DefId, ScopeId) {
        let ident = Ident { text: name.into(), span };
        let interface = Interface { bases: bases.clone(), ..Interface::default() };
        let kind = DefinitionKind::Interface(interface);
        let (id, inside) = self.begin(&ident, kind, &None, scope);
        self.inherit(&bases, inside, span);
        self.implied_by(id, owner);
        (id, inside)
    }

    /// Adds `interface EConsumer` of a complete event type.
    pub(super) fn equivalent_consumer(&mut self, event: DefId, scope: ScopeId) {
        let definition = self.model.definition(event);
        let (name, span) = (definition.name.clone(), definition.span);
        let DefinitionKind::Event(item) = &definition.kind else { return };
        let mut bases: Vec<DefId> = item
            .value
            .bases
            .iter()
            .filter_map(|base| match &self.model.definition(*base).kind {
                DefinitionKind::Event(base) => base.consumer,
                _ => None,
            })
            .collect();
        if bases.is_empty() {
            bases.extend(self.standard_interface("EventConsumerBase", span));
        }
        let consumer = format!("{name}Consumer");
        let (id, inside) = self.implied_interface(consumer, span, bases, event, scope);
        let parameter = format!("the_{name}");
        let push = Implied {
            name: format!("push_{name}"),
            result: Type::Void,
            params: vec![(&parameter, Type::Named(event))],
            raises: &[],
            span,
        };
        self.check_push(&name, &push, inside);
        self.add_implied(push, id, inside);
        self.finish(id);
        if let Some(definition) = self.model.definitions.get_mut(event.index())
            && let DefinitionKind::Event(item) = &mut definition.kind
        {
            item.consumer = Some(id);
        }
    }

    /// Checks that a consumer does not inherit the operation that an event type implies: each inherits `push_event`.
    fn check_push(&mut self, event: &str, push: &Implied<'_>, inside: ScopeId) {
        let Some(other) = self.inherited_export(&push.name, inside) else { return };
        let message = format!(
            "the event type `{event}` implies the operation `{}`, but its consumer inherits `{}`",
            push.name, other.text
        );
        let diagnostic = Diagnostic::new(Code::InheritedClash, push.span, message)
            .label(other.span, "inherited from here")
            .hint("give the event type another name");
        if *other.text == *push.name {
            self.sink.push(diagnostic);
        } else {
            self.sink.push_tolerable(diagnostic);
        }
    }
}
