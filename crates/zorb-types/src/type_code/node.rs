//! TypeCodes that were received or made at run time, and a common view of all TypeCodes.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::desc::{Members, TypeDesc};
use super::{Repr, TcKind, TypeCode};

/// Types that refer to each other by index, so that recursion makes no cycle of ownership: all types of a
/// received TypeCode, or the parts of a recursive type made at run time.
#[derive(Debug)]
pub(crate) struct Arena {
    pub(crate) nodes: Vec<Node>,
    /// The nesting depth of the types, including those of other arenas.
    pub(crate) depth: u16,
    /// Whether it has an unbound recursive placeholder.
    pub(crate) open: bool,
}

/// One type of an arena.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: TcKind,
    pub(crate) id: Box<str>,
    pub(crate) name: Box<str>,
    /// As in [`TypeDesc`].
    pub(crate) number: i64,
    pub(crate) content: Option<Child>,
    pub(crate) members: Box<[Member]>,
    /// Indices of a union's cases without the default case, sorted by label.
    pub(crate) by_label: Box<[u32]>,
}

impl Node {
    /// A type without parameters.
    pub(crate) fn new(kind: TcKind) -> Self {
        Self {
            kind,
            id: Box::default(),
            name: Box::default(),
            number: 0,
            content: None,
            members: Box::default(),
            by_label: Box::default(),
        }
    }

    /// Sets the members of a union, in the order of the IDL.
    pub(crate) fn set_cases(&mut self, default_index: i32, members: Vec<Member>) {
        let mut by_label: Vec<u32> = (0..).take(members.len()).collect();
        by_label.retain(|&index| i64::from(index) != i64::from(default_index));
        // A stable sort: of two cases with one label, the first one counts.
        by_label.sort_by_key(|&index| members.get(index as usize).map(|member| member.label));
        self.by_label = by_label.into_boxed_slice();
        self.number = default_index.into();
        self.members = members.into_boxed_slice();
    }
}

/// A member of a struct, union, exception, valuetype or enum.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: Box<str>,
    /// `None` in enums.
    pub(crate) child: Option<Child>,
    /// The label in a union, the visibility in a valuetype.
    pub(crate) label: i64,
}

/// A type that another type refers to.
#[derive(Clone, Debug)]
pub(crate) enum Child {
    /// A type of this program.
    Static(&'static TypeDesc),
    /// An index in the same arena.
    Node(u32),
    /// A type of another arena.
    Other(Box<TypeCode>),
}

impl From<TypeCode> for Child {
    fn from(type_code: TypeCode) -> Self {
        match type_code.0 {
            Repr::Static(desc) => Self::Static(desc),
            Repr::Shared(..) => Self::Other(Box::new(type_code)),
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

/// Digits and scale of a `fixed` as one number.
pub(crate) const fn fixed(digits: u16, scale: i16) -> i64 {
    ((digits as i64) << 16) | (scale as u16 as i64)
}

/// The inverse of [`fixed`].
pub(crate) const fn digits_and_scale(number: i64) -> (u16, i16) {
    ((number >> 16) as u16, number as u16 as i16)
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
