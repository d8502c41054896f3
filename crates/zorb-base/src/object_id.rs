//! Object ids.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::TryReserveError;
use std::fmt;
use std::hash::{Hash, Hasher};

use zorb_cdr::fallible;

/// The repository id of `CORBA::Object`, which every object supports.
pub const OBJECT_ID: &str = "IDL:omg.org/CORBA/Object:1.0";

/// The name of an object within its adapter: any octets (`PortableServer::ObjectId`).
///
/// ```
/// # mod zorb { pub mod poa { pub use zorb_base::object_id::ObjectId; } }
/// use zorb::poa::ObjectId;
///
/// let id = ObjectId::from("account-17");
/// assert_eq!(id.as_bytes(), b"account-17");
/// assert_eq!(id.to_string(), "account-17");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(Octets);

/// The length up to which ids are short. Those that adapters assign are.
const SHORT: usize = 22;

/// The octets of an id. Short ones need no memory of their own: a request for an object that is not active would allocate
/// it each time.
#[derive(Clone)]
enum Octets {
    /// The length, and the octets.
    Short(u8, [u8; SHORT]),
    Long(Box<[u8]>),
}

impl Octets {
    /// `None` if they are not short.
    fn short(octets: &[u8]) -> Option<Self> {
        let mut short = [0; SHORT];
        short.get_mut(..octets.len())?.copy_from_slice(octets);
        Some(Self::Short(octets.len() as u8, short))
    }

    fn as_slice(&self) -> &[u8] {
        match self {
            Self::Short(length, octets) => octets.get(..usize::from(*length)).unwrap_or_default(),
            Self::Long(octets) => octets,
        }
    }
}

impl PartialEq for Octets {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Octets {}

impl Hash for Octets {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

impl PartialOrd for Octets {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Octets {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_slice().cmp(other.as_slice())
    }
}

impl ObjectId {
    /// Creates an id of `octets`.
    pub fn new(octets: impl Into<Vec<u8>>) -> Self {
        let octets = octets.into();
        Self(Octets::short(&octets).unwrap_or_else(|| Octets::Long(octets.into_boxed_slice())))
    }

    /// An id of these octets, which are copied.
    ///
    /// # Errors
    /// Without memory.
    pub fn try_copy(octets: &[u8]) -> Result<Self, TryReserveError> {
        match Octets::short(octets) {
            Some(short) => Ok(Self(short)),
            None => Ok(Self(Octets::Long(fallible::copy(octets)?.into_boxed_slice()))),
        }
    }

    /// A copy of the id.
    ///
    /// # Errors
    /// Without memory.
    pub fn try_clone(&self) -> Result<Self, TryReserveError> {
        Self::try_copy(self.as_bytes())
    }

    /// The id's octets.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_slice()
    }
}

/// Finds ids in maps by octets.
impl Borrow<[u8]> for ObjectId {
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl From<&str> for ObjectId {
    fn from(text: &str) -> Self {
        Self::from(text.as_bytes())
    }
}

impl From<&[u8]> for ObjectId {
    fn from(octets: &[u8]) -> Self {
        Self(Octets::short(octets).unwrap_or_else(|| Octets::Long(octets.into())))
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.as_bytes().escape_ascii())
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectId({self})")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use super::*;

    #[test]
    fn ids_of_all_lengths_are_their_octets() {
        for length in 0..3 * SHORT {
            let octets: Vec<u8> = (1..).take(length).collect();
            let id = ObjectId::new(octets.clone());
            assert_eq!(id.as_bytes(), octets);
            for same in
                [ObjectId::from(&octets[..]), ObjectId::try_copy(&octets).unwrap(), id.clone()]
            {
                assert_eq!(same, id);
                assert_eq!(same.as_bytes(), octets);
            }
            let longer = ObjectId::new([&octets[..], &[0]].concat());
            assert!(longer != id && longer > id);
            // Maps find them by octets.
            assert_eq!(HashMap::from([(id.clone(), 1)]).get(&octets[..]), Some(&1));
            assert_eq!(BTreeMap::from([(longer, 2), (id, 1)]).get(&octets[..]), Some(&1));
        }
    }

    #[test]
    fn an_id_takes_one_word_more_than_its_octets_would() {
        assert_eq!(size_of::<ObjectId>(), size_of::<Vec<u8>>());
        assert_eq!(size_of::<Option<ObjectId>>(), size_of::<ObjectId>());
    }
}
