//! Equality and equivalence of TypeCodes.

use alloc::collections::BTreeSet;

use super::TcKind;
use super::view::{MemberRef, TypeRef};

/// The maximum number of types and members to compare: a small hostile TypeCode can have very many.
const MAX_STEPS: usize = 1_000_000;

/// What two types have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Everything, including names and typedefs.
    Equal,
    /// The encoding of their values. Names and typedefs do not count, and where both types have an id,
    /// nothing else counts.
    Equivalent,
}

/// Compares two types.
pub(crate) fn same_type(left: TypeRef<'_>, right: TypeRef<'_>, relation: Relation) -> bool {
    if left.key() == right.key() {
        return true;
    }
    Comparison { relation, assumed: BTreeSet::new(), steps: 0 }.types(left, right)
}

struct Comparison {
    relation: Relation,
    /// Pairs that are assumed to be the same. Recursive types are the same if this assumption leads to no
    /// difference.
    assumed: BTreeSet<(usize, usize)>,
    steps: usize,
}

impl Comparison {
    fn types(&mut self, left: TypeRef<'_>, right: TypeRef<'_>) -> bool {
        self.steps = self.steps.saturating_add(left.member_count()).saturating_add(1);
        if self.steps > MAX_STEPS {
            return false;
        }
        let equivalent = self.relation == Relation::Equivalent;
        let (left, right) =
            if equivalent { (left.resolved(), right.resolved()) } else { (left, right) };
        let kind = left.kind();
        if kind != right.kind() {
            return false;
        }
        if left.is_placeholder() || right.is_placeholder() {
            return !equivalent && left.id() == right.id();
        }
        if equivalent && kind.has_id() && !left.id().is_empty() && !right.id().is_empty() {
            return left.id() == right.id();
        }
        if !equivalent && (left.id() != right.id() || left.name() != right.name()) {
            return false;
        }
        // Every recursion goes through a type with members. Many members may have the same enum.
        let is_remembered = kind.is_constructed() || kind == TcKind::Enum;
        if is_remembered && !self.assumed.insert((left.key(), right.key())) {
            return true;
        }
        self.numbers(left, right) && self.contents(left, right) && self.members(left, right)
    }

    fn numbers(&self, left: TypeRef<'_>, right: TypeRef<'_>) -> bool {
        let no_default = |type_ref: TypeRef<'_>| {
            type_ref.kind() == TcKind::Union && type_ref.number().is_negative()
        };
        left.number() == right.number() || (no_default(left) && no_default(right))
    }

    fn contents(&mut self, left: TypeRef<'_>, right: TypeRef<'_>) -> bool {
        // A valuetype without a base has no content, or `tk_null`.
        let present = |type_ref: TypeRef<'_>| type_ref.kind() != TcKind::Null;
        match (left.content().filter(|c| present(*c)), right.content().filter(|c| present(*c))) {
            (None, None) => true,
            (Some(left), Some(right)) => self.types(left, right),
            _ => false,
        }
    }

    fn members(&mut self, left: TypeRef<'_>, right: TypeRef<'_>) -> bool {
        let default_index = usize::try_from(left.number()).ok();
        left.member_count() == right.member_count()
            && left.members().zip(right.members()).enumerate().all(|(index, (one, other))| {
                // The label of the default case has no meaning.
                let is_default = left.kind() == TcKind::Union && default_index == Some(index);
                (is_default || one.label == other.label) && self.member(one, other)
            })
    }

    fn member(&mut self, left: MemberRef<'_>, right: MemberRef<'_>) -> bool {
        if self.relation == Relation::Equal && left.name != right.name {
            return false;
        }
        match (left.type_ref, right.type_ref) {
            (None, None) => true,
            (Some(left), Some(right)) => self.types(left, right),
            _ => false,
        }
    }
}
