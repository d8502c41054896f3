//! Components and homes.

use zorb::dynamic::repository::{EntryId, EntryKind, OperationDescription, PortKind};
use zorb::{Interface, ObjectRef, TypeCode};
use zorb_idl::model::{Component, DefId, Home, Initializer, Port, PortKind as ModelPort, Type};

use super::Filler;

impl Filler<'_> {
    pub(super) fn component(
        &mut self,
        id: DefId,
        component: &Component,
    ) -> Result<EntryKind, String> {
        Ok(EntryKind::Component {
            type_code: self.types.named(id)?,
            bases: self.ids(&component.interface.bases),
            base: self.id_of(component.base),
            supports: self.ids(&component.supports),
        })
    }

    pub(super) fn home(&mut self, id: DefId, home: &Home) -> Result<EntryKind, String> {
        Ok(EntryKind::Home {
            type_code: self.types.named(id)?,
            bases: self.ids(&home.interface.bases),
            base: self.id_of(home.base),
            supports: self.ids(&home.supports),
            manages: self.id_of(home.manages),
            primary_key: self.id_of(home.primary_key),
        })
    }

    /// The repository id of a definition; empty for none.
    fn id_of(&self, id: Option<DefId>) -> String {
        id.map(|id| self.model[id].repository_id.clone()).unwrap_or_default()
    }

    /// Adds the ports of a component, including those that extended ports expand to.
    pub(super) fn ports(&mut self, ports: &[Port], owner: DefId, entry: EntryId) {
        for port in ports {
            let kind = match &port.kind {
                ModelPort::Provides(_) => PortKind::Provides,
                ModelPort::Uses { multiple: false, .. } => PortKind::Uses,
                ModelPort::Uses { multiple: true, .. } => PortKind::UsesMultiple,
                ModelPort::Emits(_) => PortKind::Emits,
                ModelPort::Publishes(_) => PortKind::Publishes,
                ModelPort::Consumes(_) => PortKind::Consumes,
                ModelPort::Extended { .. } => continue,
            };
            let target = match port.kind.ty() {
                Type::Named(id) => self.model[id].repository_id.clone(),
                _ => ObjectRef::REPOSITORY_ID.to_owned(),
            };
            let id = self.member_id(owner, &port.name);
            self.repository.add(entry, &id, &port.name, EntryKind::Port { kind, target });
        }
    }

    /// Adds the factories and finders of a home.
    pub(super) fn home_operations(&mut self, home: &Home, owner: DefId, entry: EntryId) {
        let Some(Ok(component)) = home.manages.map(|id| self.types.named(id)) else { return };
        for factory in &home.factories {
            self.home_operation(factory, &component, owner, entry, EntryKind::Factory);
        }
        for finder in &home.finders {
            self.home_operation(finder, &component, owner, entry, EntryKind::Finder);
        }
    }

    fn home_operation(
        &mut self,
        initializer: &Initializer,
        component: &TypeCode,
        owner: DefId,
        entry: EntryId,
        kind: impl FnOnce(OperationDescription) -> EntryKind,
    ) {
        let (name, id) = (&initializer.name, self.member_id(owner, &initializer.name));
        let parameters = self.parameters(&initializer.params);
        match (parameters, self.exceptions(&initializer.raises)) {
            (Ok(parameters), Ok(exceptions)) => {
                let described = OperationDescription {
                    name: name.clone(),
                    id: id.clone(),
                    defined_in: self.model[owner].repository_id.clone(),
                    result: component.clone(),
                    parameters,
                    exceptions,
                    ..OperationDescription::default()
                };
                self.repository.add(entry, &id, name, kind(described));
            }
            (Err(reason), _) | (_, Err(reason)) => {
                let scope = self.model.scoped_name(owner);
                crate::screen::print_stderr(&format!(
                    "warning: {scope}::{name} is skipped: {reason}"
                ));
            }
        }
    }
}
