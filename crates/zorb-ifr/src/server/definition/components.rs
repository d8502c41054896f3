//! The read operations of components, homes and ports.

use zorb::Ref;
use zorb::dynamic::repository::{EntryKind, PortKind};
use zorb_core::Served;

use super::Request;
use crate::corba;
use corba::InterfaceDef;
use corba::component_ir::{ComponentDef, EventDef, HomeDef};

impl Request<'_, '_> {
    /// `ComponentDef`, `HomeDef` and the interfaces of ports; `None` for unknown operations.
    pub(super) fn components(&mut self, operation: &str) -> Option<Served> {
        let entry = self.entry;
        match (&entry.kind, operation) {
            (EntryKind::Component { base, .. }, "_get_base_component") => {
                Some(self.reply_reference_of::<ComponentDef>(base))
            }
            (EntryKind::Home { base, .. }, "_get_base_home") => {
                Some(self.reply_reference_of::<HomeDef>(base))
            }
            (EntryKind::Home { manages, .. }, "_get_managed_component") => {
                Some(self.reply_reference_of::<ComponentDef>(manages))
            }
            (EntryKind::Home { primary_key, .. }, "_get_primary_key") => {
                Some(self.reply_reference_of::<corba::ValueDef>(primary_key))
            }
            (
                EntryKind::Component { supports, .. } | EntryKind::Home { supports, .. },
                "_get_supported_interfaces",
            ) => {
                let interfaces = self.view.references_of_ids(supports);
                Some(self.reply::<Vec<Ref<InterfaceDef>>>(&interfaces))
            }
            (EntryKind::Port { kind, target }, _) => self.port(operation, *kind, target),
            _ => {
                let (type_code, bases) = entry.interface()?;
                self.interface(operation, type_code, bases)
            }
        }
    }

    fn port(&mut self, operation: &str, kind: PortKind, target: &str) -> Option<Served> {
        use PortKind::{Provides, Uses, UsesMultiple};
        Some(match (operation, kind) {
            ("_get_interface_type", Provides | Uses | UsesMultiple) => {
                self.reply_reference_of::<InterfaceDef>(target)
            }
            ("_get_is_multiple", Uses | UsesMultiple) => {
                self.reply::<bool>(&(kind == UsesMultiple))
            }
            ("_get_event", PortKind::Emits | PortKind::Publishes | PortKind::Consumes) => {
                self.reply_reference_of::<EventDef>(target)
            }
            ("is_a", PortKind::Emits | PortKind::Publishes | PortKind::Consumes) => {
                self.event_is_a(target)
            }
            _ => return None,
        })
    }

    /// Whether an event type has this repository id, or inherits from it.
    fn event_is_a(&mut self, event: &str) -> Served {
        let id = self.call.argument::<String>()?;
        let repository = self.view.repository;
        let is_a = *id == *event
            || repository
                .lookup_id(&id)
                .zip(repository.lookup_id(event))
                .is_some_and(|(base, event)| repository.ancestors(event).contains(&base));
        self.reply::<bool>(&is_a)
    }

    /// Returns the definition with a repository id; nil if there is none.
    fn reply_reference_of<T: zorb::Interface>(&mut self, id: &str) -> Served {
        let entry_id = self.view.repository.lookup_id(id);
        self.reply_reference::<T>(entry_id)
    }
}
