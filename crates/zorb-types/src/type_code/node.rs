//! The data of a TypeCode: a description in static memory, or a node in an arena.

use alloc::boxed::Box;
use alloc::collections::TryReserveError;
use alloc::sync::Arc;
use alloc::vec::Vec;

use zorb_cdr::fallible;

use super::TcKind;
use super::derived::Derived;
use super::desc::{TypeDesc, plain};

/// The description of an IDL type, as `CORBA::TypeCode` (CORBA 3.3 part 1, 8.11).
///
/// It is immutable and cheap to clone. Types of this program have a [`TypeDesc`] in static memory. Types
/// that were received or made at run time are owned: one allocation for the types, and one for each name.
///
/// # Limits
/// A received TypeCode may nest to [`MAX_DEPTH`](zorb_cdr::MAX_DEPTH), counted together with the values
/// around it, and uses at most 32 times as much memory as the octets that it was read from. An indirection
/// may lead to an enclosing or earlier type of the same TypeCode. Refused as `BadTypeCode` are other
/// indirections; a typedef, array, sequence or struct that consists only of itself; members and elements
/// of type `null`, `void`, exception or empty struct; and a `fixed` with more than 31 digits.
///
/// Reading to the full depth needs up to 128 KiB of stack (1 MiB in a build without optimization).
///
/// A received TypeCode is written in the form in which it was received. A TypeCode of this program has
/// indirections for recursion only.
#[derive(Clone)]
pub struct TypeCode(pub(super) Repr);

/// The representations of a TypeCode.
#[derive(Clone)]
pub(crate) enum Repr {
    /// A type of this program.
    Static(&'static TypeDesc),
    /// A type that was received or made at run time: its index in the arena.
    Shared(Arc<Arena>, u32),
}

impl From<&'static TypeDesc> for TypeCode {
    fn from(desc: &'static TypeDesc) -> Self {
        Self(Repr::Static(desc))
    }
}

impl Default for TypeCode {
    /// `tk_null`.
    fn default() -> Self {
        Self(Repr::Static(plain(TcKind::Null)))
    }
}

/// Types that refer to each other by index, so that recursion makes no cycle of ownership: all types of a
/// received TypeCode, or the parts of a recursive type made at run time.
#[derive(Debug)]
pub(crate) struct Arena {
    pub(crate) nodes: Vec<Node>,
    /// The nesting depth of the types, including those of other arenas.
    pub(crate) depth: u16,
    /// Whether it has an unbound recursive placeholder.
    pub(crate) open: bool,
    /// What was derived from its type, if that is kept.
    pub(crate) derived: Option<Derived>,
}

impl Arena {
    /// The types of a TypeCode made at run time. Values derived from them are kept with it if there is only one, and not
    /// recursive: a part of a type must not own what owns it.
    pub(super) fn made(nodes: Vec<Node>, depth: u16, open: bool) -> Self {
        let is_alone = !open && matches!(&*nodes, [node] if !node.is_recursive());
        Self { nodes, depth, open, derived: is_alone.then(Derived::default) }
    }
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

    /// Whether it has itself as a part.
    fn is_recursive(&self) -> bool {
        let members = self.members.iter().filter_map(|member| member.child.as_ref());
        self.content.iter().chain(members).any(|child| matches!(child, Child::Node(_)))
    }

    /// Sets the members of a union, in the order of the IDL.
    ///
    /// # Errors
    /// Without memory.
    pub(crate) fn set_cases(
        &mut self,
        default_index: i32,
        members: Vec<Member>,
    ) -> Result<(), TryReserveError> {
        let mut by_label = Vec::new();
        by_label.try_reserve_exact(members.len())?;
        let indices = (0..).take(members.len());
        by_label
            .extend(indices.filter(|&index: &u32| i64::from(index) != i64::from(default_index)));
        // Of two cases with one label, the first one counts. A stable sort would need memory.
        by_label.sort_unstable_by_key(|&index| {
            (members.get(index as usize).map(|member| member.label), index)
        });
        self.by_label = fallible::boxed(by_label)?;
        self.number = default_index.into();
        self.members = fallible::boxed(members)?;
        Ok(())
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
