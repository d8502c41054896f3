//! The names of a context.

use super::super::path::BINDING_OCTETS;

/// Keys of a context in ascending order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing {
    octets: Vec<u8>,
    /// The end of each key, and whether the name is bound to a context.
    keys: Vec<(u32, bool)>,
    /// Whether the context has bindings behind these.
    pub(crate) has_more: bool,
}

impl Listing {
    /// An empty one with room for this many keys.
    pub(super) fn with_capacity(keys: usize) -> Self {
        Self { keys: Vec::with_capacity(keys), ..Self::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The most octets that the bindings take in a reply.
    pub(crate) fn most(&self) -> usize {
        self.octets.len() + self.keys.len() * BINDING_OCTETS
    }

    /// The keys, each with whether it is bound to a context.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], bool)> {
        let mut start = 0;
        self.keys.iter().map(move |(end, is_context)| {
            let key = self.octets.get(start..*end as usize).unwrap_or_default();
            start = *end as usize;
            (key, *is_context)
        })
    }

    pub(super) fn push(&mut self, key: &[u8], is_context: bool) {
        self.octets.extend_from_slice(key);
        self.keys.push((u32::try_from(self.octets.len()).unwrap_or(u32::MAX), is_context));
    }
}
