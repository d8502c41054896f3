//! A TypeCode in construction, whose parts are separate TypeCodes.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use zorb_cdr::MAX_DEPTH;

use super::node::{Child, Member, Node, Repr};
use super::rebuild::Closing;
use super::view::TypeRef;
use super::{TcKind, TypeCode, TypeCodeError, TypeCodeResult};

/// A type in construction, whose parts are separate TypeCodes.
pub(super) struct Making {
    pub(super) node: Node,
    /// Whether members may share a name, as the cases of a union with several labels do.
    pub(super) repeated_names: bool,
}

impl Making {
    pub(super) fn new(kind: TcKind) -> Self {
        Self { node: Node::new(kind), repeated_names: false }
    }

    pub(super) fn named(kind: TcKind, id: &str, name: &str) -> TypeCodeResult<Self> {
        use TcKind::{Alias, Enum, Struct, Union};
        check_id(id, !matches!(kind, Struct | Union | Enum | Alias))?;
        if !name.is_empty() && !is_identifier(name) {
            return Err(TypeCodeError::BadName);
        }
        let mut making = Self::new(kind);
        making.node.id = Box::from(id);
        making.node.name = Box::from(name);
        Ok(making)
    }

    pub(super) fn content(&mut self, content: &TypeCode) {
        self.node.content = Some(Child::from(content.clone()));
    }

    pub(super) fn with_content(mut self, content: &TypeCode) -> Self {
        self.content(content);
        self
    }

    pub(super) fn members<'a>(
        mut self,
        members: impl Iterator<Item = (&'a str, &'a TypeCode, i64)> + Clone,
    ) -> TypeCodeResult<Self> {
        check_names(members.clone().map(|(name, ..)| name), self.repeated_names)?;
        let mut made = Vec::new();
        for (name, type_code, label) in members {
            check_member(type_code)?;
            let child = Some(Child::from(type_code.clone()));
            made.push(Member { name: Box::from(name), child, label });
        }
        self.node.members = made.into_boxed_slice();
        Ok(self)
    }

    /// Completes the type, and binds placeholders for it.
    pub(super) fn finish(self) -> TypeCodeResult<TypeCode> {
        let mut closing = Closing::new(&self.node);
        let type_code = closing.close(self.node)?;
        match &type_code.0 {
            Repr::Shared(arena, _) if arena.depth > MAX_DEPTH => Err(TypeCodeError::TooDeep),
            _ => Ok(type_code),
        }
    }
}

pub(super) fn check_id(id: &str, needed: bool) -> TypeCodeResult<()> {
    let well_formed = id.split_once(':').is_some_and(|(format, _)| is_identifier(format))
        && id.chars().all(|c| c != '\0' && u32::from(c) < 256);
    if well_formed || (id.is_empty() && !needed) { Ok(()) } else { Err(TypeCodeError::BadId) }
}

pub(super) fn is_identifier(name: &str) -> bool {
    name.bytes().all(|octet| octet.is_ascii_alphanumeric() || octet == b'_')
        && name.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

/// Checks that names are identifiers and unique regardless of case. Empty names are allowed.
pub(super) fn check_names<'a>(
    names: impl Iterator<Item = &'a str>,
    may_repeat: bool,
) -> TypeCodeResult<()> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for name in names.filter(|name| !name.is_empty()) {
        if !is_identifier(name) || !(seen.insert(name.to_ascii_lowercase()) || may_repeat) {
            return Err(TypeCodeError::BadMemberName);
        }
    }
    Ok(())
}

/// Checks the type of a member or element: all its values have at least one octet.
pub(super) fn check_member(type_code: &TypeCode) -> TypeCodeResult<()> {
    let type_ref: TypeRef<'_> = type_code.view().resolved();
    let no_value = match type_ref.kind() {
        TcKind::Null => !type_ref.is_placeholder(),
        TcKind::Void | TcKind::Except => true,
        TcKind::Struct => type_ref.member_count() == 0,
        _ => false,
    };
    if no_value { Err(TypeCodeError::BadMemberType) } else { Ok(()) }
}
