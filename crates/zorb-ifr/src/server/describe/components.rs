//! Descriptions of components and homes: the structs of the standard.

use zorb::dynamic::repository::{Entry, EntryId, EntryKind, OperationDescription, PortKind};
use zorb::{Any, SystemException};

use super::super::view::View;
use crate::corba;
use corba::component_ir::{
    ComponentDescription, EventPortDescription, HomeDescription, ProvidesDescription,
    UsesDescription,
};

impl View<'_> {
    pub(super) fn port_description(
        &self,
        entry: &Entry,
        kind: PortKind,
        target: &str,
    ) -> Result<Any, SystemException> {
        Ok(match kind {
            PortKind::Provides => Any::new::<ProvidesDescription>(&self.provides(entry, target))?,
            PortKind::Uses | PortKind::UsesMultiple => {
                Any::new::<UsesDescription>(&self.uses(entry, kind, target))?
            }
            PortKind::Emits | PortKind::Publishes | PortKind::Consumes => {
                Any::new::<EventPortDescription>(&self.event_port(entry, target))?
            }
        })
    }

    fn provides(&self, entry: &Entry, target: &str) -> ProvidesDescription {
        described!(self, entry, ProvidesDescription { interface_type: target.to_owned() })
    }

    fn uses(&self, entry: &Entry, kind: PortKind, target: &str) -> UsesDescription {
        described!(
            self,
            entry,
            UsesDescription {
                interface_type: target.to_owned(),
                is_multiple: kind == PortKind::UsesMultiple,
            }
        )
    }

    fn event_port(&self, entry: &Entry, target: &str) -> EventPortDescription {
        described!(self, entry, EventPortDescription { event: target.to_owned() })
    }

    /// The full description of a component; `None` for other definitions.
    pub(super) fn component_description(&self, entry_id: EntryId) -> Option<ComponentDescription> {
        let entry = &self.repository[entry_id];
        let EntryKind::Component { type_code, base, supports, .. } = &entry.kind else {
            return None;
        };
        let mut described = described!(
            self,
            entry,
            ComponentDescription {
                base_component: base.clone(),
                supported_interfaces: supports.clone(),
                provided_interfaces: Vec::new(),
                used_interfaces: Vec::new(),
                emits_events: Vec::new(),
                publishes_events: Vec::new(),
                consumes_events: Vec::new(),
                attributes: self.ext_attributes(entry_id),
                r#type: type_code.clone(),
            }
        );
        for port in self.inherited(entry_id) {
            let EntryKind::Port { kind, target } = &port.kind else { continue };
            let event = || self.event_port(port, target);
            match kind {
                PortKind::Provides => {
                    described.provided_interfaces.push(self.provides(port, target));
                }
                PortKind::Uses | PortKind::UsesMultiple => {
                    described.used_interfaces.push(self.uses(port, *kind, target));
                }
                PortKind::Emits => described.emits_events.push(event()),
                PortKind::Publishes => described.publishes_events.push(event()),
                PortKind::Consumes => described.consumes_events.push(event()),
            }
        }
        Some(described)
    }

    /// The full description of a home; `None` for other definitions.
    pub(super) fn home_description(&self, entry_id: EntryId) -> Option<HomeDescription> {
        let entry = &self.repository[entry_id];
        let EntryKind::Home { type_code, base, manages, primary_key, .. } = &entry.kind else {
            return None;
        };
        let key = self.repository.lookup_id(primary_key);
        let key = key.map(|key| self.value_description(&self.repository[key]));
        // Those of the base home come first; the equivalent interface does not inherit from it.
        let mut homes = vec![entry_id];
        while let Some(EntryKind::Home { base, .. }) =
            homes.last().map(|entry_id| &self.repository[*entry_id].kind)
            && let Some(base) = self.repository.lookup_id(base)
            && !homes.contains(&base)
        {
            homes.push(base);
        }
        let all = |choose: fn(&EntryKind) -> Option<&OperationDescription>| {
            let items = homes.iter().rev().flat_map(|home| &self.repository[*home].contents);
            let entries = items.map(|item| &self.repository[*item]);
            entries.filter_map(|item| Some(self.operation(item, choose(&item.kind)?))).collect()
        };
        Some(described!(
            self,
            entry,
            HomeDescription {
                base_home: base.clone(),
                managed_component: manages.clone(),
                primary_key: key.unwrap_or_default(),
                factories: all(|kind| match kind {
                    EntryKind::Factory(described) => Some(described),
                    _ => None,
                }),
                finders: all(|kind| match kind {
                    EntryKind::Finder(described) => Some(described),
                    _ => None,
                }),
                operations: self.operations(entry_id),
                attributes: self.ext_attributes(entry_id),
                r#type: type_code.clone(),
            }
        ))
    }
}
