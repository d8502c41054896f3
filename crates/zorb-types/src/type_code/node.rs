//! TypeCodes that came over the wire, and one view of both sorts.

use alloc::boxed::Box;

use super::TcKind;
use super::desc::{Members, TypeDesc};

/// One type of a received TypeCode. All types of one TypeCode lie in one slice and name each
/// other by index, which is how recursion is held without cycles of ownership.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: TcKind,
    pub(crate) id: Box<str>,
    pub(crate) name: Box<str>,
    /// As [`TypeDesc`]'s.
    pub(crate) number: i64,
    pub(crate) content: Option<Child>,
    pub(crate) members: Box<[Member]>,
    /// The places of a union's cases but the default one, sorted by label.
    pub(crate) by_label: Box<[u32]>,
}

/// A member of a struct, union, exception, value or enumeration.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: Box<str>,
    /// None in enumerations.
    pub(crate) child: Option<Child>,
    /// The label in unions, the visibility in values.
    pub(crate) label: i64,
}

/// A type that another type refers to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Child {
    /// A type without parameters.
    Static(&'static TypeDesc),
    /// A place in the same slice.
    Node(u32),
}

/// A type, wherever it is described.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TypeRef<'a> {
    Static(&'static TypeDesc),
    Node(&'a [Node], &'a Node, u32),
}

/// A member of a type, wherever it is described.
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
    pub(crate) fn at(nodes: &'a [Node], child: Child) -> Option<Self> {
        match child {
            Child::Static(desc) => Some(Self::Static(desc)),
            Child::Node(index) => {
                nodes.get(index as usize).map(|node| Self::Node(nodes, node, index))
            }
        }
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

    /// The bound of a string or sequence where 0 means none.
    pub(crate) fn bound(self) -> u32 {
        match u32::try_from(self.number()) {
            Ok(0) | Err(_) => u32::MAX,
            Ok(bound) => bound,
        }
    }

    pub(crate) fn content(self) -> Option<Self> {
        match self {
            Self::Static(desc) => desc.content.map(|content| Self::Static(content())),
            Self::Node(nodes, node, _) => node.content.and_then(|child| Self::at(nodes, child)),
        }
    }

    pub(crate) fn member_count(self) -> usize {
        match self {
            Self::Static(desc) => match desc.members {
                Members::None => 0,
                Members::Fields(fields) => fields.len(),
                Members::Arms(arms) => arms.len(),
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
                    Members::Names(names) => {
                        names.get(index).map(|&name| MemberRef { name, type_ref: None, label: 0 })
                    }
                }
            }
            Self::Node(nodes, node, _) => node.members.get(index).map(|member| MemberRef {
                name: &member.name,
                type_ref: member.child.and_then(|child| Self::at(nodes, child)),
                label: member.label,
            }),
        }
    }

    /// The case of a union that a discriminator selects.
    pub(crate) fn case(self, label: i64) -> Option<MemberRef<'a>> {
        let default_index = usize::try_from(self.number()).ok();
        let labelled = match self {
            Self::Static(_) => (0..self.member_count()).find(|&index| {
                default_index != Some(index)
                    && self.member(index).is_some_and(|member| member.label == label)
            }),
            Self::Node(_, node, _) => {
                let label_of = |&place: &u32| {
                    node.members.get(place as usize).map_or(i64::MIN, |member| member.label)
                };
                let first = node.by_label.partition_point(|place| label_of(place) < label);
                node.by_label
                    .get(first)
                    .filter(|&place| label_of(place) == label)
                    .map(|&place| place as usize)
            }
        };
        self.member(labelled.or(default_index)?)
    }

    pub(crate) fn members(self) -> impl Iterator<Item = MemberRef<'a>> {
        (0..self.member_count()).filter_map(move |index| self.member(index))
    }

    /// The type with its typedefs taken off. They are never circular (the reader sees to it).
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

    /// The address of the description, which tells types apart that lead back to themselves.
    pub(crate) fn key(self) -> usize {
        match self {
            Self::Static(desc) => core::ptr::from_ref(desc).addr(),
            Self::Node(_, node, _) => core::ptr::from_ref(node).addr(),
        }
    }
}
