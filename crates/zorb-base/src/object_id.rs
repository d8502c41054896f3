//! Object ids.

use std::borrow::Borrow;
use std::collections::TryReserveError;
use std::fmt;

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
pub struct ObjectId(Box<[u8]>);

impl ObjectId {
    /// Creates an id of `octets`.
    pub fn new(octets: impl Into<Vec<u8>>) -> Self {
        Self(octets.into().into_boxed_slice())
    }

    /// An id of these octets, which are copied.
    ///
    /// # Errors
    /// Without memory.
    pub fn try_copy(octets: &[u8]) -> Result<Self, TryReserveError> {
        fallible::copy(octets).map(Self::new)
    }

    /// A copy of the id.
    ///
    /// # Errors
    /// Without memory.
    pub fn try_clone(&self) -> Result<Self, TryReserveError> {
        Self::try_copy(&self.0)
    }

    /// The id's octets.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Finds ids in maps by octets.
impl Borrow<[u8]> for ObjectId {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl From<&str> for ObjectId {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<&[u8]> for ObjectId {
    fn from(octets: &[u8]) -> Self {
        Self::new(octets)
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectId({self})")
    }
}
