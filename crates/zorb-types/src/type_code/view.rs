//! One view of all TypeCodes, whatever their representation.

use alloc::sync::Arc;

use zorb_interp::Discriminator;

use super::TcKind;
use super::desc::{Members, TypeDesc, plain};
use super::label::discriminator;
use super::node::{Arena, Child, Node, Repr, TypeCode};

impl TypeCode {
    pub(crate) fn view(&self) -> TypeRef<'_> {
        match &self.0 {
            Repr::Static(desc) => TypeRef::Static(desc),
            Repr::Shared(arena, index) => match arena.nodes.get(*index as usize) {
                Some(node) => TypeRef::Node(arena, node, *index),
                None => TypeRef::Static(plain(TcKind::Null)),
            },
        }
    }
}

/// A type in any representation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TypeRef<'a> {
    Static(&'static TypeDesc),
    Node(&'a Arc<Arena>, &'a Node, u32),
}

/// A member of a type in any representation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemberRef<'a> {
    pub(crate) name: &'a str,
    pub(crate) type_ref: Option<TypeRef<'a>>,
    pub(crate) label: i64,
}

impl<'a> TypeRef<'a> {
    pub(crate) fn at(arena: &'a Arc<Arena>, child: &'a Child) -> Option<Self> {
        match child {
            Child::Static(desc) => Some(Self::Static(desc)),
            &Child::Node(index) => {
                arena.nodes.get(index as usize).map(|node| Self::Node(arena, node, index))
            }
            Child::Other(type_code) => Some(type_code.view()),
        }
    }

    /// The TypeCode of the type.
    pub(crate) fn to_type_code(self) -> TypeCode {
        TypeCode(match self {
            Self::Static(desc) => Repr::Static(desc),
            Self::Node(arena, _, index) => Repr::Shared(Arc::clone(arena), index),
        })
    }

    /// Whether it is a placeholder for an enclosing type.
    pub(crate) fn is_placeholder(self) -> bool {
        self.kind() == TcKind::Null && !self.id().is_empty()
    }

    pub(crate) fn kind(self) -> TcKind {
        match self {
            Self::Static(desc) => desc.kind,
            Self::Node(_, node, _) => node.kind,
        }
    }

    pub(crate) fn id(self) -> &'a str {
        match self {
            Self::Static(desc) => desc.id,
            Self::Node(_, node, _) => &node.id,
        }
    }

    pub(crate) fn name(self) -> &'a str {
        match self {
            Self::Static(desc) => desc.name,
            Self::Node(_, node, _) => &node.name,
        }
    }

    pub(crate) fn number(self) -> i64 {
        match self {
            Self::Static(desc) => desc.number,
            Self::Node(_, node, _) => node.number,
        }
    }

    /// The bound of a string or sequence, `u32::MAX` if it has none.
    pub(crate) fn bound(self) -> u32 {
        match u32::try_from(self.number()) {
            Ok(0) | Err(_) => u32::MAX,
            Ok(bound) => bound,
        }
    }

    pub(crate) fn content(self) -> Option<Self> {
        match self {
            Self::Static(desc) => desc.content.map(|content| Self::Static(content())),
            Self::Node(arena, node, _) => {
                node.content.as_ref().and_then(|child| Self::at(arena, child))
            }
        }
    }

    pub(crate) fn member_count(self) -> usize {
        match self {
            Self::Static(desc) => match desc.members {
                Members::None => 0,
                Members::Fields(fields) => fields.len(),
                Members::Arms(arms) => arms.len(),
                Members::State(members) => members.len(),
                Members::Names(names) => names.len(),
            },
            Self::Node(_, node, _) => node.members.len(),
        }
    }

    pub(crate) fn member(self, index: usize) -> Option<MemberRef<'a>> {
        match self {
            Self::Static(desc) => {
                match desc.members {
                    Members::None => None,
                    Members::Fields(fields) => fields.get(index).map(|&(name, type_fn)| {
                        MemberRef { name, type_ref: Some(Self::Static(type_fn())), label: 0 }
                    }),
                    Members::Arms(arms) => arms.get(index).map(|&(label, name, type_fn)| {
                        MemberRef { name, type_ref: Some(Self::Static(type_fn())), label }
                    }),
                    Members::State(members) => {
                        members.get(index).map(|&(name, type_fn, visibility)| MemberRef {
                            name,
                            type_ref: Some(Self::Static(type_fn())),
                            label: visibility as i64,
                        })
                    }
                    Members::Names(names) => {
                        names.get(index).map(|&name| MemberRef { name, type_ref: None, label: 0 })
                    }
                }
            }
            Self::Node(arena, node, _) => node.members.get(index).map(|member| MemberRef {
                name: &member.name,
                type_ref: member.child.as_ref().and_then(|child| Self::at(arena, child)),
                label: member.label,
            }),
        }
    }

    /// The index of the union case that a label selects.
    pub(crate) fn case_index(self, label: i64) -> Option<usize> {
        let default_index = usize::try_from(self.number()).ok();
        let labelled = match self {
            Self::Static(_) => (0..self.member_count()).find(|&index| {
                default_index != Some(index)
                    && self.member(index).is_some_and(|member| member.label == label)
            }),
            Self::Node(_, node, _) => {
                let label_of = |&index: &u32| {
                    node.members.get(index as usize).map_or(i64::MIN, |member| member.label)
                };
                let first = node.by_label.partition_point(|index| label_of(index) < label);
                node.by_label
                    .get(first)
                    .filter(|&index| label_of(index) == label)
                    .map(|&index| index as usize)
            }
        };
        labelled.or(default_index)
    }

    pub(crate) fn members(self) -> impl Iterator<Item = MemberRef<'a>> {
        (0..self.member_count()).filter_map(move |index| self.member(index))
    }

    /// The discriminator of a union that switches on this type, which is without typedefs.
    pub(crate) fn discriminator(self) -> Option<Discriminator> {
        discriminator(self.kind(), self.member_count())
    }

    /// The type without its typedefs, which are never circular: the decoder refuses those.
    pub(crate) fn resolved(self) -> Self {
        let mut type_ref = self;
        while type_ref.kind() == TcKind::Alias {
            match type_ref.content() {
                Some(original) => type_ref = original,
                None => break,
            }
        }
        type_ref
    }

    /// The address of the description, which identifies a type in a recursion.
    pub(crate) fn key(self) -> usize {
        match self {
            Self::Static(desc) => core::ptr::from_ref(desc).addr(),
            Self::Node(_, node, _) => core::ptr::from_ref(node).addr(),
        }
    }
}
