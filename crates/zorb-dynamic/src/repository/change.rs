//! Definitions that change: new names, other places, other contents.
//!
//! Each change leaves the repository coherent: TypeCodes that hold a changed type become those of
//! what it is now. A change that fails leaves it half done; who wants to go on makes it on a clone.

use std::collections::HashSet;
use std::mem;

use zorb_types::{Any, TypeCode, TypeCodeError};

use super::canonical::{Canon, Renamed};
use super::{
    Entry, EntryId, EntryKind, InitializerDescription, OperationDescription, ParameterDescription,
    Repository,
};

type Changed = Result<(), TypeCodeError>;

impl Repository {
    /// Gives a definition another repository id, which must be free. What refers to it by its id
    /// does so by the new one.
    ///
    /// # Errors
    /// As [`canonical`](Self::canonical).
    pub fn set_id(&mut self, place: EntryId, id: &str) -> Changed {
        let Some(entry) = self.entries.get_mut(place.index()) else { return Ok(()) };
        let old = mem::replace(&mut entry.id, id.to_owned());
        self.by_id.remove(&old);
        self.by_id.insert(id.to_owned(), place);
        let rename = |name: &mut String| {
            if *name == old {
                id.clone_into(name);
            }
        };
        for entry in &mut self.entries {
            match &mut entry.kind {
                EntryKind::Interface { bases, .. } => bases.iter_mut().for_each(rename),
                EntryKind::Value { bases, supports, .. } => {
                    bases.iter_mut().chain(supports).for_each(rename);
                }
                EntryKind::Component { bases, base, supports, .. } => {
                    bases.iter_mut().chain(supports).chain([base]).for_each(rename);
                }
                EntryKind::Home { bases, base, supports, manages, primary_key, .. } => {
                    let others = [base, manages, primary_key];
                    bases.iter_mut().chain(supports).chain(others).for_each(rename);
                }
                EntryKind::Port { target, .. } => rename(target),
                EntryKind::Operation(operation)
                | EntryKind::Factory(operation)
                | EntryKind::Finder(operation) => {
                    rename(&mut operation.id);
                    rename(&mut operation.defined_in);
                }
                EntryKind::Attribute(attribute) => {
                    rename(&mut attribute.id);
                    rename(&mut attribute.defined_in);
                }
                _ => {}
            }
        }
        self.refresh(&Renamed::from([(old, id.to_owned())]))
    }

    /// Gives a definition another name.
    ///
    /// # Errors
    /// As [`canonical`](Self::canonical).
    pub fn set_name(&mut self, place: EntryId, name: &str) -> Changed {
        let Some(entry) = self.entries.get_mut(place.index()) else { return Ok(()) };
        name.clone_into(&mut entry.name);
        match &mut entry.kind {
            EntryKind::Operation(operation)
            | EntryKind::Factory(operation)
            | EntryKind::Finder(operation) => name.clone_into(&mut operation.name),
            EntryKind::Attribute(attribute) => name.clone_into(&mut attribute.name),
            _ => {}
        }
        self.refresh(&Renamed::new())
    }

    /// Gives a definition another version. That in its id stays.
    pub fn set_version(&mut self, place: EntryId, version: &str) {
        if let Some(entry) = self.entries.get_mut(place.index()) {
            version.clone_into(&mut entry.version);
        }
    }

    /// Makes a definition another of its kind: with other members, another type, other bases.
    ///
    /// # Errors
    /// As [`canonical`](Self::canonical).
    pub fn set_kind(&mut self, place: EntryId, kind: EntryKind) -> Changed {
        if let Some(entry) = self.entries.get_mut(place.index()) {
            entry.kind = kind;
        }
        self.refresh(&Renamed::new())
    }

    /// Makes all TypeCodes those of the definitions as they are now, after some were added to a
    /// type that others hold.
    ///
    /// # Errors
    /// As [`canonical`](Self::canonical).
    pub fn refresh_types(&mut self) -> Changed {
        self.refresh(&Renamed::new())
    }

    /// Puts a definition, with all that is in it, into another container, which must not be in it.
    /// Its repository id stays. The places of definitions are others afterwards.
    pub fn relocate(&mut self, place: EntryId, container: EntryId) {
        let Some(entry) = self.entries.get_mut(place.index()) else { return };
        let old = mem::replace(&mut entry.container, container);
        let id = self[container].id.clone();
        match &mut self.entries[place.index()].kind {
            EntryKind::Operation(operation)
            | EntryKind::Factory(operation)
            | EntryKind::Finder(operation) => operation.defined_in = id,
            EntryKind::Attribute(attribute) => attribute.defined_in = id,
            _ => {}
        }
        self.entries[old.index()].contents.retain(|item| *item != place);
        self.entries[container.index()].contents.push(place);
        self.renumber();
    }

    /// Takes a definition out, with all that is in it. The places of definitions are others
    /// afterwards. Nothing may be left that [uses](Self::users) them.
    pub fn remove(&mut self, place: EntryId) {
        if place == Self::ROOT || self.get(place).is_none() {
            return;
        }
        let container = self[place].container;
        self.entries[container.index()].contents.retain(|item| *item != place);
        self.renumber();
    }

    /// A definition and all that is in it, each after what it is in.
    pub fn within(&self, place: EntryId) -> Vec<EntryId> {
        let mut found = Vec::new();
        let mut open = vec![place];
        while let Some(at) = open.pop() {
            found.push(at);
            open.extend(self[at].contents.iter().rev());
        }
        found
    }

    /// The definitions that need one of `places`: as base, as a type or as an exception. Those among
    /// the places do not count.
    pub fn users(&self, places: &[EntryId]) -> Vec<EntryId> {
        let ids: HashSet<&str> = places.iter().map(|place| &*self[*place].id).collect();
        let places: HashSet<EntryId> = places.iter().copied().collect();
        let is_user = |(place, entry): &(EntryId, &Entry)| {
            !places.contains(place)
                && (entry.types().iter().any(|each| mentions(each, &ids))
                    || entry.references().any(|id| ids.contains(id)))
        };
        self.entries().filter(is_user).map(|(place, _)| place).collect()
    }

    /// Brings the definitions into an order in which each comes after what it is in.
    fn renumber(&mut self) {
        let order = self.within(Self::ROOT);
        let mut places = vec![Self::ROOT; self.entries.len()];
        for (index, old) in (0..).zip(&order) {
            places[old.index()] = EntryId(index);
        }
        let mut old: Vec<Option<Entry>> =
            mem::take(&mut self.entries).into_iter().map(Some).collect();
        self.by_id.clear();
        for place in order {
            let Some(mut entry) = old[place.index()].take() else { continue };
            entry.container = places[entry.container.index()];
            for item in &mut entry.contents {
                *item = places[item.index()];
            }
            if place != Self::ROOT {
                self.by_id.insert(entry.id.clone(), places[place.index()]);
            }
            self.entries.push(entry);
        }
    }

    fn refresh(&mut self, renamed: &Renamed) -> Changed {
        let mut kinds = Vec::new();
        let mut canon = Canon::new(self, renamed);
        for entry in &self.entries {
            kinds.push(canon.kind(&entry.kind)?);
        }
        for (entry, kind) in self.entries.iter_mut().zip(kinds) {
            entry.kind = kind;
        }
        Ok(())
    }
}

impl Canon<'_> {
    fn all(&mut self, types: &[TypeCode]) -> Result<Vec<TypeCode>, TypeCodeError> {
        types.iter().map(|type_code| self.of(type_code)).collect()
    }

    fn parameters(
        &mut self,
        parameters: &[ParameterDescription],
    ) -> Result<Vec<ParameterDescription>, TypeCodeError> {
        let again = |parameter: &ParameterDescription| {
            let type_code = self.of(&parameter.type_code)?;
            Ok(ParameterDescription { type_code, ..parameter.clone() })
        };
        parameters.iter().map(again).collect()
    }

    fn operation(
        &mut self,
        operation: &OperationDescription,
    ) -> Result<OperationDescription, TypeCodeError> {
        Ok(OperationDescription {
            result: self.of(&operation.result)?,
            parameters: self.parameters(&operation.parameters)?,
            exceptions: self.all(&operation.exceptions)?,
            ..operation.clone()
        })
    }

    /// The definition again, with the types of now.
    fn kind(&mut self, kind: &EntryKind) -> Result<EntryKind, TypeCodeError> {
        Ok(match kind {
            EntryKind::Repository => EntryKind::Repository,
            EntryKind::Module => EntryKind::Module,
            EntryKind::Interface { type_code, bases } => {
                EntryKind::Interface { type_code: self.of(type_code)?, bases: bases.clone() }
            }
            EntryKind::Value { type_code, bases, supports, initializers } => {
                let mut again = Vec::new();
                for initializer in initializers {
                    again.push(InitializerDescription {
                        name: initializer.name.clone(),
                        parameters: self.parameters(&initializer.parameters)?,
                        exceptions: self.all(&initializer.exceptions)?,
                    });
                }
                EntryKind::Value {
                    type_code: self.of(type_code)?,
                    bases: bases.clone(),
                    supports: supports.clone(),
                    initializers: again,
                }
            }
            EntryKind::ValueMember { type_code, visibility } => {
                EntryKind::ValueMember { type_code: self.of(type_code)?, visibility: *visibility }
            }
            EntryKind::Type(type_code) => EntryKind::Type(self.definition(type_code)?),
            EntryKind::Exception(type_code) => EntryKind::Exception(self.definition(type_code)?),
            EntryKind::Constant(value) => {
                let type_code = self.of(value.type_code())?;
                // The type of a constant that no longer fits it is not taken.
                let value = Any::read_value(type_code, &mut value.reader());
                EntryKind::Constant(value.map_err(|_| TypeCodeError::BadMemberType)?)
            }
            EntryKind::Operation(operation) => EntryKind::Operation(self.operation(operation)?),
            EntryKind::Factory(operation) => EntryKind::Factory(self.operation(operation)?),
            EntryKind::Finder(operation) => EntryKind::Finder(self.operation(operation)?),
            EntryKind::Component { type_code, bases, base, supports } => EntryKind::Component {
                type_code: self.of(type_code)?,
                bases: bases.clone(),
                base: base.clone(),
                supports: supports.clone(),
            },
            EntryKind::Home { type_code, bases, base, supports, manages, primary_key } => {
                EntryKind::Home {
                    type_code: self.of(type_code)?,
                    bases: bases.clone(),
                    base: base.clone(),
                    supports: supports.clone(),
                    manages: manages.clone(),
                    primary_key: primary_key.clone(),
                }
            }
            EntryKind::Port { kind, target } => {
                EntryKind::Port { kind: *kind, target: target.clone() }
            }
            EntryKind::Attribute(attribute) => {
                let mut again = attribute.clone();
                again.type_code = self.of(&attribute.type_code)?;
                again.get_exceptions = self.all(&attribute.get_exceptions)?;
                again.set_exceptions = self.all(&attribute.set_exceptions)?;
                EntryKind::Attribute(again)
            }
        })
    }

    /// The type that a definition is, which may still be without members.
    fn definition(&mut self, type_code: &TypeCode) -> Result<TypeCode, TypeCodeError> {
        match super::canonical::is_unfinished(type_code) {
            true => self.unfinished(type_code),
            false => self.of(type_code),
        }
    }
}

impl Entry {
    /// The types that the definition is made of: those of members, parameters, results, elements.
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

    /// Whether none of its types waits for the members of a struct or union.
    pub fn is_complete(&self) -> bool {
        self.type_code().is_none_or(TypeCode::is_complete)
            && self.types().iter().all(TypeCode::is_complete)
    }

    /// The repository ids of other definitions that it names: its bases, what it supports, and what
    /// homes and ports are for.
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
