//! Interfaces whose servants can be called without a message.

use zorb_poa::SERVANT_OBJECT_PLACES;

use crate::interface::Interface;

/// An interface whose servants can be called without a message: generated code says what they are.
pub trait HasServant: Interface {
    /// The object type of the servant trait.
    type Servant: ?Sized + Send + Sync + 'static;

    /// Where a servant's trait object for this interface is looked for first.
    #[doc(hidden)]
    const PLACE: usize = place(Self::REPOSITORY_ID.as_bytes());
}

/// Spreads the interfaces of a program (FNV-1a).
const fn place(id: &[u8]) -> usize {
    let mut hash = 0x811c_9dc5_u32;
    let mut rest = id;
    while let [octet, tail @ ..] = rest {
        hash = (hash ^ *octet as u32).wrapping_mul(0x0100_0193);
        rest = tail;
    }
    (hash ^ (hash >> 16)) as usize % SERVANT_OBJECT_PLACES
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn interfaces_of_a_module_are_spread() {
        let ids = ["Echo", "Cubit", "Sink", "Suite", "Account", "Savings", "Node", "Named"];
        let mut places: Vec<usize> =
            ids.iter().map(|name| place(format!("IDL:Bench/{name}:1.0").as_bytes())).collect();
        assert!(places.iter().all(|place| *place < super::SERVANT_OBJECT_PLACES));
        places.sort_unstable();
        places.dedup();
        assert!(places.len() > 3, "{places:?}");
    }
}
