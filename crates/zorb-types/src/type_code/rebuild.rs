//! TypeCodes made from others: binding recursive types, and compact TypeCodes.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use zorb_cdr::MAX_DEPTH;

use super::node::{Arena, Child, Member, Node, Repr};
use super::view::TypeRef;
use super::{TcKind, TypeCode, TypeCodeError};

/// The state of making a type from its parts.
///
/// Complete parts stay in their arenas. Parts with an unbound recursive TypeCode are copied to the new
/// arena, where placeholders for the new type are bound to it.
pub(super) struct Closing {
    id: Box<str>,
    nodes: Vec<Node>,
    /// Indices of the copied types, by their address in the old arena, which the caller keeps alive.
    copied: BTreeMap<usize, u32>,
    depth: u16,
    open: bool,
}

/// The types between the new type and a part of it.
#[derive(Clone, Copy)]
struct Path {
    /// Whether one of them has members.
    constructed: bool,
    /// Whether values of one of them can end a recursion.
    ends: bool,
    depth: u16,
}

impl Path {
    fn through(self, kind: TcKind) -> Result<Self, TypeCodeError> {
        if self.depth >= MAX_DEPTH {
            return Err(TypeCodeError::TooDeep);
        }
        Ok(Self {
            constructed: self.constructed || kind.is_constructed(),
            ends: self.ends || kind.ends_recursion(),
            depth: self.depth + 1,
        })
    }
}

impl Closing {
    pub(super) fn new(node: &Node) -> Self {
        Self {
            id: if node.kind.is_constructed() { node.id.clone() } else { Box::default() },
            nodes: Vec::new(),
            copied: BTreeMap::new(),
            depth: 0,
            open: false,
        }
    }

    /// The TypeCode of `node`, whose parts are still in other arenas.
    pub(super) fn close(&mut self, mut node: Node) -> Result<TypeCode, TypeCodeError> {
        let path = Path { constructed: false, ends: false, depth: 0 }.through(node.kind)?;
        self.nodes.push(Node::new(node.kind));
        if let Some(child) = node.content.take() {
            node.content = Some(self.part(&child, path)?);
        }
        for member in &mut node.members {
            if let Some(child) = member.child.take() {
                member.child = Some(self.part(&child, path)?);
            }
        }
        if let Some(first) = self.nodes.first_mut() {
            *first = node;
        }
        let nodes = core::mem::take(&mut self.nodes);
        let arena = Arena::made(nodes, self.depth.max(path.depth), self.open);
        Ok(TypeCode(Repr::Shared(Arc::new(arena), 0)))
    }

    fn part(&mut self, child: &Child, path: Path) -> Result<Child, TypeCodeError> {
        match child {
            Child::Other(type_code) => self.import(type_code.view(), path),
            child => Ok(child.clone()),
        }
    }

    fn import(&mut self, type_ref: TypeRef<'_>, path: Path) -> Result<Child, TypeCodeError> {
        let TypeRef::Node(arena, node, _) = type_ref else {
            return Ok(Child::from(type_ref.to_type_code()));
        };
        if !arena.open {
            self.depth = self.depth.max(path.depth + arena.depth);
            return Ok(Child::from(type_ref.to_type_code()));
        }
        self.depth = self.depth.max(path.depth);
        if type_ref.is_placeholder() {
            if node.id != self.id {
                self.open = true;
                return Ok(Child::from(type_ref.to_type_code()));
            }
            // A type cannot consist only of itself.
            return if path.constructed && path.ends {
                Ok(Child::Node(0))
            } else {
                Err(TypeCodeError::BadMemberType)
            };
        }
        if let Some(&index) = self.copied.get(&type_ref.key()) {
            return Ok(Child::Node(index));
        }
        let path = path.through(node.kind)?;
        let index = u32::try_from(self.nodes.len()).map_err(|_| TypeCodeError::TooDeep)?;
        self.nodes.push(Node::new(node.kind));
        self.copied.insert(type_ref.key(), index);
        let content = match type_ref.content() {
            Some(content) => Some(self.import(content, path)?),
            None => None,
        };
        let mut members = Vec::new();
        for member in type_ref.members() {
            let child = match member.type_ref {
                Some(type_ref) => Some(self.import(type_ref, path)?),
                None => None,
            };
            members.push(Member { name: Box::from(member.name), child, label: member.label });
        }
        if let Some(copy) = self.nodes.get_mut(index as usize) {
            *copy = Node {
                kind: node.kind,
                id: node.id.clone(),
                name: node.name.clone(),
                number: node.number,
                content,
                members: members.into_boxed_slice(),
                by_label: node.by_label.clone(),
            };
        }
        Ok(Child::Node(index))
    }
}

impl TypeCode {
    /// The same type without names, but with ids and typedefs: `get_compact_typecode`.
    ///
    /// # Errors
    /// `TooDeep` when the type nests deeper than [`MAX_DEPTH`].
    pub fn compact(&self) -> Result<Self, TypeCodeError> {
        let mut compacting =
            Compacting { nodes: Vec::new(), done: BTreeMap::new(), deepest: 0, depth: 0 };
        let open = self.is_open();
        Ok(match compacting.copy(self.view())? {
            Child::Static(desc) => Self(Repr::Static(desc)),
            Child::Other(type_code) => *type_code,
            Child::Node(index) => {
                let arena = Arena::made(compacting.nodes, compacting.deepest, open);
                Self(Repr::Shared(Arc::new(arena), index))
            }
        })
    }
}

/// The state of copying a type without its names.
struct Compacting {
    nodes: Vec<Node>,
    done: BTreeMap<usize, u32>,
    deepest: u16,
    depth: u16,
}

impl Compacting {
    fn copy(&mut self, type_ref: TypeRef<'_>) -> Result<Child, TypeCodeError> {
        let kind = type_ref.kind();
        if let TypeRef::Static(desc) = type_ref
            && kind.parameters() != super::kind::Parameters::Complex
        {
            return Ok(Child::Static(desc));
        }
        if let Some(&index) = self.done.get(&type_ref.key()) {
            return Ok(Child::Node(index));
        }
        if self.depth >= MAX_DEPTH {
            return Err(TypeCodeError::TooDeep);
        }
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        let index = u32::try_from(self.nodes.len()).map_err(|_| TypeCodeError::TooDeep)?;
        self.nodes.push(Node::new(kind));
        self.done.insert(type_ref.key(), index);
        let mut node = Node::new(kind);
        node.id = Box::from(type_ref.id());
        node.number = type_ref.number();
        if let Some(content) = type_ref.content() {
            node.content = Some(self.copy(content)?);
        }
        let mut members = Vec::new();
        for member in type_ref.members() {
            let child = match member.type_ref {
                Some(type_ref) => Some(self.copy(type_ref)?),
                None => None,
            };
            members.push(Member { name: Box::default(), child, label: member.label });
        }
        if kind == TcKind::Union {
            let default_index = i32::try_from(type_ref.number()).unwrap_or(-1);
            let set = node.set_cases(default_index, members);
            set.map_err(|_| TypeCodeError::OutOfMemory)?;
        } else {
            node.members = members.into_boxed_slice();
        }
        if let Some(copy) = self.nodes.get_mut(index as usize) {
            *copy = node;
        }
        self.depth -= 1;
        Ok(Child::Node(index))
    }
}
