//! Definitions of a repository.

use std::collections::HashSet;

use zorb_types::{Any, TypeCode, Visibility};

use super::description::{AttributeDescription, InitializerDescription, OperationDescription};

/// Identifies an [`Entry`] of a repository; that of the repository itself is
/// [`Repository::ROOT`](super::Repository::ROOT).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId(pub(super) u32);

impl EntryId {
    /// The index of the entry.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A definition with its attributes of `CORBA::Contained`.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its repository id; empty for the repository itself.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its version, by default that of its id: `1.0`.
    pub version: String,
    /// The definition that contains it.
    pub container: EntryId,
    /// The definitions that it contains, in order.
    pub contents: Vec<EntryId>,
    /// Its kind.
    pub kind: EntryKind,
}

/// The kind of a definition.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EntryKind {
    /// The repository itself.
    Repository,
    /// `module`
    Module,
    /// `interface`, also an abstract or local one.
    Interface {
        /// Its type, whose kind distinguishes the three.
        type_code: TypeCode,
        /// The repository ids of its direct bases.
        bases: Vec<String>,
    },
    /// `valuetype`
    Value {
        /// Its type, with base, modifier and state.
        type_code: TypeCode,
        /// The repository ids of the valuetypes that it inherits from, a concrete one first.
        bases: Vec<String>,
        /// The repository ids of the interfaces that it supports.
        supports: Vec<String>,
        /// Its initializers.
        initializers: Vec<InitializerDescription>,
    },
    /// A member of a valuetype's state.
    ValueMember {
        /// Its type.
        type_code: TypeCode,
        /// Its visibility.
        visibility: Visibility,
    },
    /// `struct`, `union`, `enum`, `typedef`, `native` or a value box: its type.
    Type(TypeCode),
    /// `exception`
    Exception(TypeCode),
    /// `const`: its value, in its type.
    Constant(Any),
    /// An operation.
    Operation(OperationDescription),
    /// An attribute.
    Attribute(AttributeDescription),
    /// `component`
    Component {
        /// Its type.
        type_code: TypeCode,
        /// The repository ids of the bases of its equivalent interface, whose operations are
        /// defined in it.
        bases: Vec<String>,
        /// The repository id of the component that it inherits from; empty for none.
        base: String,
        /// The repository ids of the interfaces that it supports.
        supports: Vec<String>,
    },
    /// `home`
    Home {
        /// Its type.
        type_code: TypeCode,
        /// The repository ids of the bases of its equivalent interface.
        bases: Vec<String>,
        /// The repository id of the home that it inherits from; empty for none.
        base: String,
        /// The repository ids of the interfaces that it supports.
        supports: Vec<String>,
        /// The repository id of the component that it manages.
        manages: String,
        /// The repository id of the primary key; empty for none.
        primary_key: String,
    },
    /// A port of a component.
    Port {
        /// Its kind.
        kind: PortKind,
        /// The repository id of its interface or event type.
        target: String,
    },
    /// A `factory` of a home.
    Factory(OperationDescription),
    /// A `finder` of a home.
    Finder(OperationDescription),
}

/// The kind of a port of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PortKind {
    /// `provides`
    Provides,
    /// `uses`
    Uses,
    /// `uses multiple`
    UsesMultiple,
    /// `emits`
    Emits,
    /// `publishes`
    Publishes,
    /// `consumes`
    Consumes,
}

impl Entry {
    /// The type, if the definition is a type.
    pub fn type_code(&self) -> Option<&TypeCode> {
        match &self.kind {
            EntryKind::Interface { type_code, .. }
            | EntryKind::Value { type_code, .. }
            | EntryKind::Component { type_code, .. }
            | EntryKind::Home { type_code, .. }
            | EntryKind::Type(type_code)
            | EntryKind::Exception(type_code) => Some(type_code),
            _ => None,
        }
    }

    /// The type of an interface and the repository ids of its bases; of a component or home, those
    /// of its equivalent interface.
    pub fn interface(&self) -> Option<(&TypeCode, &[String])> {
        match &self.kind {
            EntryKind::Interface { type_code, bases }
            | EntryKind::Component { type_code, bases, .. }
            | EntryKind::Home { type_code, bases, .. } => Some((type_code, bases)),
            _ => None,
        }
    }
}

impl Entry {
    /// The types that the definition uses: of members, parameters, results and elements.
    pub fn types(&self) -> Vec<TypeCode> {
        let mut used = Vec::new();
        match &self.kind {
            EntryKind::Constant(value) => used.push(value.type_code().clone()),
            EntryKind::Operation(operation)
            | EntryKind::Factory(operation)
            | EntryKind::Finder(operation) => {
                used.push(operation.result.clone());
                used.extend(operation.parameters.iter().map(|each| each.type_code.clone()));
                used.extend_from_slice(&operation.exceptions);
            }
            EntryKind::Attribute(attribute) => {
                used.push(attribute.type_code.clone());
                used.extend_from_slice(&attribute.get_exceptions);
                used.extend_from_slice(&attribute.set_exceptions);
            }
            EntryKind::ValueMember { type_code, .. } => used.push(type_code.clone()),
            EntryKind::Value { initializers, .. } => {
                for initializer in initializers {
                    used.extend(initializer.parameters.iter().map(|each| each.type_code.clone()));
                    used.extend_from_slice(&initializer.exceptions);
                }
            }
            EntryKind::Type(type_code) | EntryKind::Exception(type_code) => {
                let members = 0..type_code.member_count();
                used.extend(members.filter_map(|index| type_code.member_type(index).ok()));
                used.extend(type_code.discriminator_type().ok());
                used.extend(type_code.content_type().ok());
            }
            _ => {}
        }
        used
    }

    /// Whether none of its types is a struct or union without members yet.
    pub fn is_complete(&self) -> bool {
        self.type_code().is_none_or(TypeCode::is_complete)
            && self.types().iter().all(TypeCode::is_complete)
    }

    /// The repository ids of other definitions that it refers to: bases, supported interfaces, and the targets
    /// of homes and ports.
    pub fn references(&self) -> impl Iterator<Item = &str> {
        let none: &[String] = &[];
        let (bases, supports, others) = match &self.kind {
            EntryKind::Interface { bases, .. } => (&bases[..], none, [""; 3]),
            EntryKind::Value { bases, supports, .. } => (&bases[..], &supports[..], [""; 3]),
            EntryKind::Component { bases, base, supports, .. } => {
                (&bases[..], &supports[..], [&**base, "", ""])
            }
            EntryKind::Home { bases, base, supports, manages, primary_key, .. } => {
                (&bases[..], &supports[..], [&**base, &**manages, &**primary_key])
            }
            EntryKind::Port { target, .. } => (none, none, [&**target, "", ""]),
            _ => (none, none, [""; 3]),
        };
        let ids = bases.iter().chain(supports).map(|id| &**id);
        ids.chain(others).filter(|id| !id.is_empty())
    }
}

/// Whether a type is one of these, or a sequence or array of them.
pub fn mentions(type_code: &TypeCode, ids: &HashSet<&str>) -> bool {
    let mut at = type_code.clone();
    loop {
        if ids.contains(at.id()) && !at.id().is_empty() {
            return true;
        }
        match at.id().is_empty().then(|| at.content_type()) {
            Some(Ok(element)) => at = element,
            _ => return false,
        }
    }
}
