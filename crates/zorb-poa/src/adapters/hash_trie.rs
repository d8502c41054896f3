//! A hash trie whose copies share their nodes.

use std::sync::Arc;

/// The number of bits of a hash that choose a child of a node.
const BITS: u32 = 4;

/// The number of children of a node.
const CHILDREN: usize = 1 << BITS;

/// Values by hashes. Copying it takes the same time for any number of values, and a change copies only the nodes on the way
/// to the value, whose number grows with the logarithm of that of the values.
#[derive(Clone, Debug)]
pub(super) struct HashTrie<V>(Node<V>);

#[derive(Clone, Debug)]
enum Node<V> {
    Empty,
    /// The only value below, and its hash.
    One(u32, V),
    /// The values below have this hash.
    Same(u32, Arc<Vec<V>>),
    /// By the next [`BITS`] of the hash, the lowest first.
    Branch(Arc<[Self; CHILDREN]>),
}

impl<V> Default for HashTrie<V> {
    fn default() -> Self {
        Self(Node::Empty)
    }
}

impl<V: Clone> HashTrie<V> {
    /// The value with this hash that `matches`.
    #[inline]
    pub(super) fn find(&self, hash: u32, matches: impl Fn(&V) -> bool) -> Option<&V> {
        let (mut node, mut rest) = (&self.0, hash);
        loop {
            match node {
                Node::Branch(children) => {
                    node = children.get(child_index(rest))?;
                    rest >>= BITS;
                }
                Node::One(known, value) => {
                    return (*known == hash && matches(value)).then_some(value);
                }
                Node::Same(known, values) if *known == hash => {
                    return values.iter().find(|value| matches(value));
                }
                Node::Same(..) | Node::Empty => return None,
            }
        }
    }

    /// Adds a value with this hash, and removes the values of that hash for which `replaces` is true.
    pub(super) fn insert(&mut self, hash: u32, value: V, replaces: impl Fn(&V) -> bool) {
        self.remove(hash, replaces);
        self.0.insert(hash, 0, value);
    }

    /// Removes the values with this hash that match.
    pub(super) fn remove(&mut self, hash: u32, matches: impl Fn(&V) -> bool) {
        if self.find(hash, &matches).is_some() {
            self.0.remove(hash, 0, &matches);
        }
    }
}

impl<V: Clone> Node<V> {
    /// The hash of the values of a node that is no branch.
    fn hash(&self) -> Option<u32> {
        match self {
            Self::One(hash, _) | Self::Same(hash, _) => Some(*hash),
            Self::Empty | Self::Branch(_) => None,
        }
    }

    /// `used` bits of the hash have led to this node.
    fn insert(&mut self, hash: u32, used: u32, value: V) {
        if let Self::Branch(children) = self {
            if let Some(child) = Arc::make_mut(children).get_mut(child_index(hash >> used)) {
                child.insert(hash, used + BITS, value);
            }
            return;
        }
        *self = match std::mem::replace(self, Self::Empty) {
            Self::One(known, first) if known == hash => {
                Self::Same(hash, Arc::new(vec![first, value]))
            }
            Self::Same(known, mut values) if known == hash => {
                Arc::make_mut(&mut values).push(value);
                Self::Same(hash, values)
            }
            Self::Empty => Self::One(hash, value),
            other => {
                // Two hashes differ before all their bits are used.
                let mut children = [const { Self::Empty }; CHILDREN];
                let at =
                    other.hash().and_then(|known| children.get_mut(child_index(known >> used)));
                at.into_iter().for_each(|child| child.clone_from(&other));
                let mut branch = Self::Branch(Arc::new(children));
                branch.insert(hash, used, value);
                branch
            }
        };
    }

    fn remove(&mut self, hash: u32, used: u32, matches: &impl Fn(&V) -> bool) {
        match self {
            Self::Branch(children) => {
                let all = Arc::make_mut(children);
                if let Some(child) = all.get_mut(child_index(hash >> used)) {
                    child.remove(hash, used + BITS, matches);
                }
                let mut left = all.iter().filter(|child| !matches!(child, Self::Empty));
                match (left.next().cloned(), left.next()) {
                    (None, _) => *self = Self::Empty,
                    (Some(only), None) if only.hash().is_some() => *self = only,
                    _ => {}
                }
            }
            Self::One(known, value) if *known == hash && matches(value) => *self = Self::Empty,
            Self::Same(known, values) if *known == hash => {
                let left = Arc::make_mut(values);
                left.retain(|value| !matches(value));
                match &left[..] {
                    [] => *self = Self::Empty,
                    [only] => *self = Self::One(hash, only.clone()),
                    _ => {}
                }
            }
            Self::One(..) | Self::Same(..) | Self::Empty => {}
        }
    }
}

/// The index of a child whose hash continues with these bits.
#[inline]
fn child_index(rest: u32) -> usize {
    rest as usize % CHILDREN
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    type Pairs = HashTrie<(u32, u32)>;

    fn find(trie: &Pairs, hash: u32, key: u32) -> Option<u32> {
        trie.find(hash, |(known, _)| *known == key).map(|(_, value)| *value)
    }

    /// The number of nodes of `new` that are not nodes of `old`.
    fn copied(new: &Node<(u32, u32)>, old: &Node<(u32, u32)>) -> usize {
        let (Node::Branch(new), Node::Branch(old)) = (new, old) else { return 1 };
        if Arc::ptr_eq(new, old) {
            return 0;
        }
        1 + new.iter().zip(old.iter()).map(|(new, old)| copied(new, old)).sum::<usize>()
    }

    #[test]
    fn it_finds_what_a_map_finds() {
        let mut trie = Pairs::default();
        let mut map = BTreeMap::new();
        let mut random = 7_u32;
        for step in 0..10_000_u32 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let key = (random >> 8) % 3_000;
            // Several keys have the same hash, and others the same low bits of it.
            let hash = (key % 700) << 20;
            if step % 3 == 0 {
                trie.remove(hash, |(known, _)| *known == key);
                map.remove(&key);
            } else {
                trie.insert(hash, (key, step), |(known, _)| *known == key);
                map.insert(key, step);
            }
            if step % 100 == 0 {
                let same = |key: u32| find(&trie, (key % 700) << 20, key) == map.get(&key).copied();
                assert!((0..3_000).all(same), "step {step}");
            }
        }
        assert!(map.len() > 1_000);
        for key in map.into_keys() {
            trie.remove((key % 700) << 20, |(known, _)| *known == key);
        }
        assert!(matches!(trie.0, Node::Empty));
    }

    #[test]
    fn a_change_copies_few_nodes_and_the_copy_does_not_change() {
        let mut trie = Pairs::default();
        for number in 0..65_536 {
            let before = trie.clone();
            trie.insert(number, (number, number), |_| true);
            // Four levels, and a leaf in each of their nodes.
            assert!(copied(&trie.0, &before.0) <= 4 * CHILDREN);
            assert_eq!(find(&before, number, number), None);
        }
        for number in 0..65_536 {
            let before = trie.clone();
            trie.remove(number, |_| true);
            assert_eq!(find(&trie, number, number), None);
            assert_eq!(find(&before, number, number), Some(number));
        }
    }
}
