//! One binding in memory.

use std::borrow::Borrow;
use std::cmp::Ordering;

use super::common::CommonParts;
use crate::server::context_id::ContextId;
use crate::server::stored::{self, StoredReference, parts};

/// What a name is bound to. References are in the [stored](crate::server::stored) form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound<'t> {
    /// An object, which may be nil. It may be a naming context: names do not lead through it.
    Object(&'t [u8]),
    /// A naming context of another server.
    Foreign(&'t [u8]),
    /// A naming context of this server.
    Context(ContextId),
}

impl Bound<'_> {
    pub(crate) fn is_context(self) -> bool {
        !matches!(self, Self::Object(_))
    }

    /// The value in the store: an octet for the kind, and the reference or the context's id.
    pub(crate) fn to_octets(self) -> Vec<u8> {
        match self {
            Self::Object(reference) => [&[OBJECT], reference].concat(),
            Self::Foreign(reference) => [&[FOREIGN], reference].concat(),
            Self::Context(id) => [&[CONTEXT][..], &id.to_octets()].concat(),
        }
    }
}

impl<'t> Bound<'t> {
    /// The inverse of [`to_octets`](Self::to_octets); `None` for other octets.
    pub(crate) fn from_octets(octets: &'t [u8]) -> Option<Self> {
        let (kind, rest) = octets.split_first()?;
        match *kind {
            OBJECT => Some(Self::Object(rest)),
            FOREIGN => Some(Self::Foreign(rest)),
            CONTEXT => ContextId::from_octets(rest).map(Self::Context),
            _ => None,
        }
    }
}

const OBJECT: u8 = 0;
const FOREIGN: u8 = 1;
const CONTEXT: u8 = 2;

/// What a name is bound to, as its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// An object or a naming context of another server: a reference in the [stored](crate::server::stored) form.
    Reference(Vec<u8>),
    /// A naming context of this server.
    Context(ContextId),
}

/// A binding, in one allocation. Entries are ordered and found by their keys.
///
/// ```text
/// +----------------+-----+------+--------------------------------------------------+
/// | ushort length  | key | kind | id; or number of the common part, and own part   |
/// +----------------+-----+------+--------------------------------------------------+
/// ```
///
/// References are in [parts](crate::server::stored::parts); the number is in their form, too.
#[derive(Clone, Debug)]
pub(crate) struct Entry(Box<[u8]>);

/// The maximum length of a key: less than an entry and the key of a store can hold.
pub(crate) const MAX_KEY: usize = 65_000;

/// The most octets of the number of a common part.
const LONGEST_NUMBER: usize = 5;

/// What an entry counts for beside its own octets: about what the map and the allocator add.
const CHARGE: usize = 48;

impl Entry {
    /// A binding; `None` if the key is longer than [`MAX_KEY`].
    pub(super) fn new(key: &[u8], bound: Bound<'_>, parts: &mut CommonParts) -> Option<Self> {
        let length = u16::try_from(key.len()).ok().filter(|_| key.len() <= MAX_KEY)?;
        let start = |kind: u8, rest: usize| {
            let mut octets = Vec::with_capacity(size_of_val(&length) + key.len() + 1 + rest);
            octets.extend_from_slice(&length.to_le_bytes());
            octets.extend_from_slice(key);
            octets.push(kind);
            octets
        };
        let (kind, reference) = match bound {
            Bound::Object(reference) => (OBJECT, reference),
            Bound::Foreign(reference) => (FOREIGN, reference),
            Bound::Context(id) => {
                let id = id.to_octets();
                let mut octets = start(CONTEXT, id.len());
                octets.extend_from_slice(&id);
                return Some(Self(octets.into()));
            }
        };
        let (common, own) = parts::split(reference);
        let mut octets = start(kind, LONGEST_NUMBER + own.len());
        stored::push_number(&mut octets, parts.add(&common));
        octets.extend_from_slice(&own);
        Some(Self(octets.into()))
    }

    fn split(&self) -> (&[u8], &[u8]) {
        let Some((length, rest)) = self.0.split_first_chunk() else { return (&[], &[]) };
        let length = u16::from_le_bytes(*length).into();
        rest.split_at_checked(length).unwrap_or((rest, &[]))
    }

    pub(crate) fn key(&self) -> &[u8] {
        let [low, high, rest @ ..] = &*self.0 else { return &[] };
        rest.get(..usize::from(u16::from_le_bytes([*low, *high]))).unwrap_or_default()
    }

    /// Whether the name is bound to a context, of this server or of another one.
    pub(crate) fn is_context(&self) -> bool {
        self.split().1.first().is_some_and(|kind| *kind != OBJECT)
    }

    /// Whether the name is bound to a context of another server.
    pub(super) fn is_foreign(&self) -> bool {
        self.split().1.first().is_some_and(|kind| *kind == FOREIGN)
    }

    /// The context of this server that the name is bound to.
    pub(super) fn context(&self) -> Option<ContextId> {
        match self.split().1.split_first()? {
            (&CONTEXT, id) => ContextId::from_octets(id),
            _ => None,
        }
    }

    /// The number of the reference's common part, and its own part; `None` for a context of this server.
    fn reference(&self) -> Option<(usize, &[u8])> {
        match self.split().1.split_first()? {
            (&CONTEXT, _) => None,
            (_, parts) => stored::take_number(parts),
        }
    }

    pub(super) fn found(&self, parts: &CommonParts) -> Found {
        match (self.context(), self.reference()) {
            (Some(id), _) => Found::Context(id),
            (None, Some((number, own))) => Found::Reference(parts::join(parts.get(number), own)),
            (None, None) => Found::Reference(Vec::new()),
        }
    }

    /// The context of this server that the name is bound to; otherwise sets `reference`.
    pub(super) fn copy_to(
        &self,
        reference: &mut StoredReference,
        parts: &CommonParts,
    ) -> Option<ContextId> {
        reference.clear();
        match self.reference() {
            Some((number, own)) => {
                let take = |piece: &[u8]| reference.extend_from_slice(piece);
                parts::take_pieces(parts.get(number), own, take);
                None
            }
            None => self.context(),
        }
    }

    /// Ends the use of the common part.
    pub(super) fn release(&self, parts: &mut CommonParts) {
        if let Some((number, _)) = self.reference() {
            parts.remove(number);
        }
    }

    /// The octets of memory that it counts for, without its common part.
    pub(super) fn charge(&self) -> usize {
        self.0.len() + CHARGE
    }

    /// The most that a binding with this key and value counts for.
    pub(super) fn most(key: &[u8], value: &[u8]) -> usize {
        key.len() + value.len() + CHARGE
    }
}

impl Borrow<[u8]> for Entry {
    fn borrow(&self) -> &[u8] {
        self.key()
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(other.key())
    }
}
