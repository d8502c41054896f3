//! Components, connectors, port types and their ports.

use std::collections::HashMap;

use super::Resolver;
use super::scope::{NameKind, ScopeId, Target};
use super::standard::On;
use crate::diagnostics::{Code, Diagnostic};
use crate::limits::MAX_PORTS;
use crate::model::{
    Attribute, Component, Connector, DefId, DefinitionKind, Interface, Port, PortKind, PortType,
    Type,
};
use crate::source::Span;
use crate::syntax::{
    AnnotationItem, ComponentItem, Ident, Item, PortItem, PortItemKind, PortTypeItem, ScopedName,
    TypeExpr,
};

impl Resolver<'_> {
    /// A component or connector.
    pub(super) fn component(&mut self, item: &ComponentItem, scope: ScopeId) {
        let kind = if item.connector {
            DefinitionKind::Connector(Connector::default())
        } else {
            DefinitionKind::Component(Component::default())
        };
        let (id, inside) = self.begin(&item.name, kind, &item.docs, scope);
        let base = item.base.as_ref().and_then(|name| self.component_base(item, name, scope));
        let supports = self.supported_interfaces(&item.supports, scope);
        let mut bases: Vec<DefId> = base.into_iter().collect();
        if bases.is_empty() && !item.connector {
            bases.extend(self.standard_interface("CCMObject", item.name.span));
        }
        bases.extend(&supports);
        self.inherit(&bases, inside, item.name.span);
        if let Some(definition) = self.model.definitions.get_mut(id.index()) {
            match &mut definition.kind {
                DefinitionKind::Component(component) => {
                    component.base = base;
                    component.supports = supports;
                    component.interface = Interface { bases, ..Interface::default() };
                }
                DefinitionKind::Connector(connector) => connector.base = base,
                _ => {}
            }
        }
        item.items.iter().for_each(|part| self.component_part(part, id, inside));
        self.finish(id);
    }

    fn component_base(
        &mut self,
        item: &ComponentItem,
        name: &ScopedName,
        scope: ScopeId,
    ) -> Option<DefId> {
        let target = self.lookup(name, scope)?;
        let word = if item.connector { "connector" } else { "component" };
        if let Target::Definition(id) = target
            && self.model.definition(id).kind.keyword() == word
        {
            if !self.incomplete.contains_key(&id) {
                return Some(id);
            }
            self.report_bad_base(Code::BadComponentBase, name, target, "is incomplete here");
            return None;
        }
        let what = format!("is not a {word}");
        self.report_bad_base(Code::BadComponentBase, name, target, &what);
        None
    }

    /// The interfaces of a `supports` clause of a component or home.
    pub(super) fn supported_interfaces(
        &mut self,
        names: &[ScopedName],
        scope: ScopeId,
    ) -> Vec<DefId> {
        let mut supports: Vec<DefId> = Vec::new();
        let mut seen: HashMap<DefId, Span> = HashMap::new();
        for name in names {
            let Some(target) = self.lookup(name, scope) else { continue };
            let code = Code::BadComponentSupports;
            let Some(id) = self.parent_interface(code, name, target) else { continue };
            if !matches!(self.model.definition(id).kind, DefinitionKind::Interface(_)) {
                self.report_bad_base(code, name, target, "is not an interface");
            } else if self.model.interface(id).is_some_and(|it| it.is_local) {
                self.report_bad_base(code, name, target, "is local");
            } else if let Some(first) = seen.get(&id) {
                self.duplicate_base(name, *first);
            } else {
                seen.insert(id, name.span);
                supports.push(id);
            }
        }
        supports
    }

    /// An interface of the module `Components`, which the file must include.
    pub(super) fn standard_interface(&mut self, name: &str, span: Span) -> Option<DefId> {
        let module = self.entry(ScopeId(0), "Components").and_then(|entry| match entry.target {
            Target::Definition(id) => self.scope_of.get(&id).copied(),
            _ => None,
        });
        let found = module.and_then(|module| self.entry(module, name)).map(|entry| entry.target);
        if let Some(Target::Definition(id)) = found {
            return Some(id);
        }
        if !std::mem::replace(&mut self.components_missing, true) {
            let message = format!("`Components::{name}` is undefined");
            self.sink.push(
                Diagnostic::new(Code::ComponentsMissing, span, message)
                    .note("required for this definition")
                    .hint("write `#include <Components.idl>` at the top of the file"),
            );
        }
        None
    }

    fn component_part(&mut self, part: &Item, owner: DefId, inside: ScopeId) {
        match part {
            Item::Annotated(list, part) => match &**part {
                Item::Port(port) => self.port(port, list, owner, inside),
                Item::Attribute(_) => self.annotated_export(list, part, owner, inside),
                other => self.component_part(other, owner, inside),
            },
            Item::Port(port) => self.port(port, &[], owner, inside),
            Item::Attribute(attribute) => self.attribute(attribute, owner, inside),
            other => self.item(other, inside),
        }
    }

    /// `porttype P { ... };`
    pub(super) fn port_type(&mut self, item: &PortTypeItem, scope: ScopeId) {
        let kind = DefinitionKind::PortType(PortType::default());
        let (id, inside) = self.begin(&item.name, kind, &item.docs, scope);
        item.items.iter().for_each(|part| self.component_part(part, id, inside));
        self.finish(id);
        let (empty, has_attributes) = match &self.model.definition(id).kind {
            DefinitionKind::PortType(item) => (item.ports.is_empty(), !item.attributes.is_empty()),
            _ => (false, false),
        };
        let broken = item.items.iter().any(|item| match item {
            Item::Annotated(_, item) => matches!(**item, Item::Port(_)),
            item => matches!(item, Item::Port(_)),
        });
        if empty && !broken {
            let message = "a port type needs at least one port";
            let diagnostic = Diagnostic::new(Code::EmptyDefinition, item.name.span, message);
            if has_attributes {
                self.sink.push_tolerable(diagnostic);
            } else {
                self.sink.push(diagnostic);
            }
        }
    }

    fn port(&mut self, item: &PortItem, list: &[AnnotationItem], owner: DefId, inside: ScopeId) {
        let annotations = self.annotate(list, On::OTHER, None, inside);
        let Some(kind) = self.port_kind(item, inside) else { return };
        let port = Port {
            name: item.name.text.to_string(),
            kind,
            part_of: None,
            annotations,
            docs: item.docs.as_deref().map(str::to_owned),
            span: item.name.span,
        };
        self.add_port(port, owner, inside);
    }

    fn port_kind(&mut self, item: &PortItem, inside: ScopeId) -> Option<PortKind> {
        let ty = self.any_type(&item.ty, inside);
        if ty == Type::Error {
            return None;
        }
        let definition = match &ty {
            Type::Named(id) => Some((*id, &self.model.definition(*id).kind)),
            _ => None,
        };
        let complete = |id: DefId| !self.incomplete.contains_key(&id);
        let is_interface = match &definition {
            None => ty == Type::Object,
            Some((_, kind)) => matches!(kind, DefinitionKind::Interface(_)),
        };
        let event = definition.and_then(|(id, kind)| {
            matches!(kind, DefinitionKind::Event(_)).then_some(id).filter(|id| complete(*id))
        });
        let port_type = definition.and_then(|(id, kind)| {
            matches!(kind, DefinitionKind::PortType(_)).then_some(id).filter(|id| complete(*id))
        });
        let (found, wanted) = match item.kind {
            PortItemKind::Provides => {
                (is_interface.then(|| PortKind::Provides(ty.clone())), "an interface")
            }
            PortItemKind::Uses { multiple } => {
                let kind = is_interface.then(|| PortKind::Uses { ty: ty.clone(), multiple });
                (kind, "an interface")
            }
            PortItemKind::Emits => (event.map(PortKind::Emits), "a complete event type"),
            PortItemKind::Publishes => (event.map(PortKind::Publishes), "a complete event type"),
            PortItemKind::Consumes => (event.map(PortKind::Consumes), "a complete event type"),
            PortItemKind::Extended { mirrored } => {
                let kind = port_type.map(|port_type| PortKind::Extended { port_type, mirrored });
                (kind, "a complete port type")
            }
        };
        if found.is_none() {
            self.wrong_port(&item.ty, &ty, wanted);
        }
        found
    }

    fn wrong_port(&mut self, written: &TypeExpr, ty: &Type, wanted: &str) {
        let message = format!("`{}` is not {wanted}", self.model.type_name(ty));
        let mut diagnostic = Diagnostic::new(Code::BadPortType, written.span, message);
        if let Type::Named(id) = ty {
            diagnostic = diagnostic.label(self.model.definition(*id).span, "defined here");
        }
        self.sink.push(diagnostic);
    }

    /// Adds a port, its equivalent operations, and the ports that it expands to.
    fn add_port(&mut self, port: Port, owner: DefId, inside: ScopeId) {
        let ident = Ident { text: port.name.as_str().into(), span: port.span };
        self.check_inherited(&ident, inside);
        if !self.declare(inside, &ident, Target::Port(owner), NameKind::Port) {
            return;
        }
        if !self.charge_port(port.span) {
            return;
        }
        let is_component =
            matches!(self.model.definition(owner).kind, DefinitionKind::Component(_));
        let is_port_type = matches!(self.model.definition(owner).kind, DefinitionKind::PortType(_));
        if is_component {
            self.equivalent_port(&port, owner, inside);
        }
        let extended = match port.kind {
            PortKind::Extended { port_type, mirrored } if !is_port_type => {
                Some((port_type, mirrored, port.clone()))
            }
            _ => None,
        };
        if let Some(ports) = self.ports_mut(owner) {
            ports.push(port);
        }
        if let Some((port_type, mirrored, whole)) = extended {
            self.expand_port(port_type, mirrored, &whole, owner, inside);
        }
    }

    /// Counts a port; reports an error and returns false when there are too many.
    fn charge_port(&mut self, span: Span) -> bool {
        if let Some(left) = self.ports_left.checked_sub(1) {
            self.ports_left = left;
            return true;
        }
        let message = format!("this compilation has more than {MAX_PORTS} ports");
        self.sink.error(Code::TooManyPorts, span, message);
        false
    }

    fn ports_mut(&mut self, owner: DefId) -> Option<&mut Vec<Port>> {
        match &mut self.model.definitions.get_mut(owner.index())?.kind {
            DefinitionKind::Component(item) => Some(&mut item.ports),
            DefinitionKind::Connector(item) => Some(&mut item.ports),
            DefinitionKind::PortType(item) => Some(&mut item.ports),
            _ => None,
        }
    }

    /// The ports and attributes of a port type, with their names prefixed by the extended port's.
    fn expand_port(
        &mut self,
        port_type: DefId,
        mirrored: bool,
        whole: &Port,
        owner: DefId,
        inside: ScopeId,
    ) {
        let DefinitionKind::PortType(item) = &self.model.definition(port_type).kind else { return };
        if item.ports.len() + item.attributes.len() > self.ports_left {
            self.ports_left = 0;
            self.charge_port(whole.span);
            return;
        }
        let (ports, attributes) = (item.ports.clone(), item.attributes.clone());
        for part in ports {
            if self.ports_left == 0 {
                self.charge_port(whole.span);
                return;
            }
            let kind = match part.kind {
                PortKind::Provides(ty) if mirrored => PortKind::Uses { ty, multiple: false },
                PortKind::Uses { ty, .. } if mirrored => PortKind::Provides(ty),
                PortKind::Extended { port_type, mirrored: inner } => {
                    PortKind::Extended { port_type, mirrored: inner != mirrored }
                }
                other => other,
            };
            let name = format!("{}_{}", whole.name, part.name);
            let Some(left) = self.names_left.checked_sub(name.len() + 64) else { return };
            self.names_left = left;
            let (part_of, span) = (Some(whole.name.clone()), whole.span);
            self.add_port(Port { name, kind, part_of, span, ..part }, owner, inside);
        }
        for attribute in attributes {
            if !self.charge_port(whole.span) {
                return;
            }
            let name = format!("{}_{}", whole.name, attribute.name);
            let ident = Ident { text: name.as_str().into(), span: whole.span };
            self.check_inherited(&ident, inside);
            if self.declare(inside, &ident, Target::Export(owner), NameKind::Export) {
                self.add_attribute(owner, Attribute { name, span: whole.span, ..attribute });
            }
        }
    }
}
