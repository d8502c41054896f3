//! Updates TypeCodes from the definitions of a repository.

use std::collections::HashMap;

use zorb_types::{TcKind, TypeCode, TypeCodeError, UnionCase, ValueMember, ValueModifier};

use super::{Entry, EntryKind, Repository};

/// The maximum nesting depth of types.
const MAX_DEPTH: usize = zorb_cdr::MAX_DEPTH as usize;

/// New repository ids by old ones.
pub type RenamedIds = HashMap<String, String>;

impl Repository {
    /// The TypeCode with each named type updated from its definition. Types without a definition do not
    /// change; ids in `renamed` are replaced.
    ///
    /// # Errors
    /// `TooDeep` if the types nest too deep or too many are recursive; other errors if a changed type is
    /// not permitted where it is used.
    pub fn canonical(
        &self,
        type_code: &TypeCode,
        renamed: &RenamedIds,
    ) -> Result<TypeCode, TypeCodeError> {
        Canon::new(self, renamed).of(type_code)
    }
}

/// Creates TypeCodes from the definitions of a repository; those of complete types are created once.
pub(super) struct Canon<'r> {
    repository: &'r Repository,
    renamed: &'r RenamedIds,
    made: HashMap<String, TypeCode>,
    /// The ids of the types that are being created, the outermost first.
    making: Vec<String>,
    depth: usize,
    /// How many types may still be created; recursive types are created again at each use.
    left: usize,
}

impl<'r> Canon<'r> {
    pub(super) fn new(repository: &'r Repository, renamed: &'r RenamedIds) -> Self {
        Self {
            repository,
            renamed,
            made: HashMap::new(),
            making: Vec::new(),
            depth: 0,
            left: (1 << 16) + 64 * repository.entries.len(),
        }
    }

    pub(super) fn of(&mut self, type_code: &TypeCode) -> Result<TypeCode, TypeCodeError> {
        self.left = self.left.checked_sub(1).ok_or(TypeCodeError::TooDeep)?;
        if self.depth >= MAX_DEPTH {
            return Err(TypeCodeError::TooDeep);
        }
        self.depth += 1;
        let made = self.any(type_code);
        self.depth -= 1;
        made
    }

    fn any(&mut self, type_code: &TypeCode) -> Result<TypeCode, TypeCodeError> {
        match type_code.kind() {
            TcKind::Sequence => {
                let element = self.of(&type_code.content_type()?)?;
                TypeCode::sequence(&element, type_code.length()?)
            }
            TcKind::Array => {
                let element = self.of(&type_code.content_type()?)?;
                TypeCode::array(&element, type_code.length()?)
            }
            // A reference to a type that was being created.
            _ if !type_code.id().is_empty() => self.named(type_code),
            _ => Ok(type_code.clone()),
        }
    }

    fn named(&mut self, type_code: &TypeCode) -> Result<TypeCode, TypeCodeError> {
        let id = type_code.id();
        let id = self.renamed.get(id).map_or(id, |id| id).to_owned();
        if let Some(made) = self.made.get(&id) {
            return Ok(made.clone());
        }
        if self.making.contains(&id) {
            return TypeCode::recursive(&id);
        }
        let repository = self.repository;
        let entry = repository.lookup_id(&id).and_then(|entry_id| repository.get(entry_id));
        let definition = entry.and_then(Entry::type_code).unwrap_or(type_code);
        if is_unfinished(definition) {
            return TypeCode::recursive(&id);
        }
        self.making.push(id);
        let made = match entry.map(|entry| (entry, &entry.kind)) {
            Some((entry, EntryKind::Value { bases, .. })) => self.value(entry, definition, bases),
            _ => self.constructed(definition, entry.map_or(definition.name(), |entry| &entry.name)),
        };
        let id = self.making.pop().unwrap_or_default();
        let made = made?;
        if made.is_complete() {
            self.made.insert(id, made.clone());
        }
        Ok(made)
    }

    /// A type that is being created.
    fn id(&self) -> String {
        self.making.last().cloned().unwrap_or_default()
    }

    /// A definition that has no members yet.
    pub(super) fn unfinished(&mut self, definition: &TypeCode) -> Result<TypeCode, TypeCodeError> {
        let id = self.renamed.get(definition.id()).map_or(definition.id(), |id| id).to_owned();
        let entry =
            self.repository.lookup_id(&id).and_then(|entry_id| self.repository.get(entry_id));
        self.making.push(id);
        let made =
            self.constructed(definition, entry.map_or(definition.name(), |entry| &entry.name));
        self.making.pop();
        made
    }

    /// A type without a definition, with its parts updated.
    fn constructed(
        &mut self,
        definition: &TypeCode,
        name: &str,
    ) -> Result<TypeCode, TypeCodeError> {
        let id = &self.id();
        match definition.kind() {
            kind @ (TcKind::Struct | TcKind::Except) => {
                let mut members = Vec::new();
                for index in 0..definition.member_count() {
                    let member = self.of(&definition.member_type(index)?)?;
                    members.push((definition.member_name(index)?, member));
                }
                match kind {
                    TcKind::Struct => TypeCode::structure(id, name, &members),
                    _ => TypeCode::exception(id, name, &members),
                }
            }
            TcKind::Union => self.union(definition, id, name),
            TcKind::Enum => {
                let values: Result<Vec<&str>, _> = (0..definition.member_count())
                    .map(|index| definition.member_name(index))
                    .collect();
                TypeCode::enumeration(id, name, &values?)
            }
            TcKind::Alias => {
                let original = self.of(&definition.content_type()?)?;
                TypeCode::alias(id, name, &original)
            }
            TcKind::ValueBox => {
                let boxed = self.of(&definition.content_type()?)?;
                TypeCode::value_box(id, name, &boxed)
            }
            // A valuetype without a definition.
            TcKind::Value | TcKind::Event => Ok(definition.clone()),
            kind => TypeCode::named(kind, id, name),
        }
    }

    fn union(
        &mut self,
        definition: &TypeCode,
        id: &str,
        name: &str,
    ) -> Result<TypeCode, TypeCodeError> {
        let switch = self.of(&definition.discriminator_type()?)?;
        let default = definition.default_index()?;
        let mut members = Vec::new();
        for index in 0..definition.member_count() {
            members.push(self.of(&definition.member_type(index)?)?);
        }
        let mut cases = Vec::new();
        for (index, type_code) in members.iter().enumerate() {
            let label = definition.member_label(index)?;
            let label = (default != Some(index)).then_some(label);
            cases.push(UnionCase { label, name: definition.member_name(index)?, type_code });
        }
        TypeCode::union(id, name, &switch, &cases)
    }

    /// A valuetype with the state in its definition.
    fn value(
        &mut self,
        entry: &Entry,
        definition: &TypeCode,
        bases: &[String],
    ) -> Result<TypeCode, TypeCodeError> {
        let known = bases.first().and_then(|id| self.repository.lookup_id(id));
        let known = known.and_then(|entry_id| self.repository.get(entry_id)?.type_code());
        let base = match known {
            Some(base) if base.type_modifier() != Ok(ValueModifier::Abstract) => Some(base.clone()),
            Some(_) => None,
            None => definition.concrete_base_type().ok().filter(|base| base.kind() != TcKind::Null),
        };
        let base = base.map(|base| self.of(&base)).transpose()?;
        let repository = self.repository;
        let mut state = Vec::new();
        for item in &entry.contents {
            let item = &repository[*item];
            if let EntryKind::ValueMember { type_code, visibility } = &item.kind {
                state.push((&*item.name, self.of(type_code)?, *visibility));
            }
        }
        let members: Vec<_> = state
            .iter()
            .map(|(name, type_code, visibility)| ValueMember {
                name,
                type_code,
                visibility: *visibility,
            })
            .collect();
        let (id, modifier) = (&self.id(), definition.type_modifier()?);
        match definition.kind() {
            TcKind::Event => TypeCode::event(id, &entry.name, modifier, base.as_ref(), &members),
            _ => TypeCode::value(id, &entry.name, modifier, base.as_ref(), &members),
        }
    }
}

/// Whether a type is a struct or union without members yet, which cannot be part of another type.
pub(super) fn is_unfinished(type_code: &TypeCode) -> bool {
    match type_code.kind() {
        TcKind::Null => !type_code.id().is_empty(),
        TcKind::Struct | TcKind::Union => type_code.member_count() == 0,
        _ => false,
    }
}
