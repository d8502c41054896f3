//! Interfaces whose servants can be called without a message.

use zorb_poa::SERVANT_OBJECT_ENTRIES;

use crate::interface::Interface;

/// An interface whose servants can be called without a message. Generated code implements it.
pub trait HasServant: Interface {
    /// The object type of the servant trait.
    type Servant: ?Sized + Send + Sync + 'static;

    /// The first entry of a servant's table in which this interface is looked up.
    #[doc(hidden)]
    const ENTRY: usize = entry(Self::REPOSITORY_ID.as_bytes());
}

/// Spreads the interfaces of a program (FNV-1a).
const fn entry(id: &[u8]) -> usize {
    let mut hash = 0x811c_9dc5_u32;
    let mut rest = id;
    while let [octet, tail @ ..] = rest {
        hash = (hash ^ *octet as u32).wrapping_mul(0x0100_0193);
        rest = tail;
    }
    (hash ^ (hash >> 16)) as usize % SERVANT_OBJECT_ENTRIES
}

#[cfg(test)]
mod tests {
    use super::entry;

    #[test]
    fn interfaces_of_a_module_are_spread() {
        let ids = ["Echo", "Cubit", "Sink", "Suite", "Account", "Savings", "Node", "Named"];
        let mut entries: Vec<usize> =
            ids.iter().map(|name| entry(format!("IDL:Bench/{name}:1.0").as_bytes())).collect();
        assert!(entries.iter().all(|entry| *entry < super::SERVANT_OBJECT_ENTRIES));
        entries.sort_unstable();
        entries.dedup();
        assert!(entries.len() > 3, "{entries:?}");
    }
}
