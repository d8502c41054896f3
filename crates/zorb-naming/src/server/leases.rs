//! The ends of leases: bindings that go away unless they are renewed. Times are those of a [`Clock`](super::clock::Clock).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::context_id::ContextId;

/// The leases of all contexts.
#[derive(Debug, Default)]
pub(crate) struct Leases {
    ends: HashMap<ContextId, BTreeMap<Arc<[u8]>, u64>>,
    order: BTreeSet<(u64, ContextId, Arc<[u8]>)>,
    octets: usize,
}

/// The octets of memory that a lease counts for beside its key.
const CHARGE: usize = 192;

impl Leases {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// The octets of memory that all leases count for.
    pub(crate) fn octets(&self) -> usize {
        self.octets
    }

    /// The octets of memory that a lease counts for.
    pub(crate) fn charge(key: &[u8]) -> usize {
        key.len() + CHARGE
    }

    /// The end of a binding's lease, if it has one.
    pub(crate) fn end_of(&self, context: ContextId, key: &[u8]) -> Option<u64> {
        self.ends.get(&context)?.get(key).copied()
    }

    /// Sets the end of a binding's lease, or says that it has none.
    pub(crate) fn set(&mut self, context: ContextId, key: &[u8], end: Option<u64>) {
        if let Some(ends) = self.ends.get_mut(&context)
            && let Some((key, end)) = ends.remove_entry(key)
        {
            if ends.is_empty() {
                self.ends.remove(&context);
            }
            self.octets -= Self::charge(&key);
            self.order.remove(&(end, context, key));
        }
        if let Some(end) = end {
            let key: Arc<[u8]> = key.into();
            self.octets += Self::charge(&key);
            self.ends.entry(context).or_default().insert(Arc::clone(&key), end);
            self.order.insert((end, context, key));
        }
    }

    /// The bindings whose leases have ended, at most `count`.
    pub(crate) fn ended(&self, now: u64, count: usize) -> Vec<(ContextId, Arc<[u8]>)> {
        let ended = self.order.iter().take_while(|(end, ..)| *end <= now).take(count);
        ended.map(|(_, context, key)| (*context, Arc::clone(key))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leases_end_in_order_and_are_renewed() {
        let (root, mut leases) = (ContextId::ROOT, Leases::default());
        for (key, end) in [(b"a", 30), (b"b", 10), (b"c", 20)] {
            leases.set(root, key, Some(end));
        }
        let ended = |leases: &Leases, now| {
            let ended = leases.ended(now, 2).into_iter().map(|(_, key)| char::from(key[0]));
            ended.collect::<String>()
        };
        assert_eq!((ended(&leases, 9), ended(&leases, 10)), (String::new(), "b".into()));
        assert_eq!(ended(&leases, 99), "bc", "two at most");
        leases.set(root, b"b", Some(40));
        assert_eq!((ended(&leases, 20), leases.end_of(root, b"b")), ("c".into(), Some(40)));
        for key in [b"a", b"b", b"c", b"d"] {
            leases.set(root, key, None);
        }
        assert_eq!((leases.len(), leases.octets(), leases.ends.len()), (0, 0, 0));
    }
}
