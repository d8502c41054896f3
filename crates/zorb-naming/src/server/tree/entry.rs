//! One binding in memory.

use std::borrow::Borrow;
use std::cmp::Ordering;

use crate::server::context_id::ContextId;

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

/// A binding, in one allocation. Entries are ordered and found by their keys.
///
/// ```text
/// +----------------+-----+------+------------------------+
/// | ushort length  | key | kind | reference or id        |
/// +----------------+-----+------+------------------------+
/// ```
#[derive(Clone, Debug)]
pub(crate) struct Entry(Box<[u8]>);

/// The maximum length of a key: less than an entry and the key of a store can hold.
pub(crate) const MAX_KEY: usize = 65_000;

impl Entry {
    /// A binding; `None` if the key is longer than [`MAX_KEY`].
    pub(crate) fn new(key: &[u8], bound: Bound<'_>) -> Option<Self> {
        let length = u16::try_from(key.len()).ok().filter(|_| key.len() <= MAX_KEY)?;
        let id;
        let (kind, value) = match bound {
            Bound::Object(reference) => (OBJECT, reference),
            Bound::Foreign(reference) => (FOREIGN, reference),
            Bound::Context(context) => {
                id = context.to_octets();
                (CONTEXT, &id[..])
            }
        };
        Some(Self([&length.to_le_bytes()[..], key, &[kind], value].concat().into()))
    }

    fn split(&self) -> (&[u8], &[u8]) {
        let Some((length, rest)) = self.0.split_first_chunk() else { return (&[], &[]) };
        let length = u16::from_le_bytes(*length).into();
        rest.split_at_checked(length).unwrap_or((rest, &[]))
    }

    pub(crate) fn key(&self) -> &[u8] {
        self.split().0
    }

    pub(crate) fn bound(&self) -> Bound<'_> {
        Bound::from_octets(self.split().1).unwrap_or(Bound::Object(&[]))
    }

    /// The octets of memory that it counts for: its own, and about what the map and the allocator add.
    pub(crate) fn charge(&self) -> usize {
        self.0.len() + 48
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
