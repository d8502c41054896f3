//! Object keys: they identify the adapter and the object of a request.
//!
//! ```text
//! transient  'Z' 01  adapter index (4)  adapter stamp (4)  object id
//! persistent 'Z' 02  path length (2)  path  object id
//! ```
//!
//! Numbers are big-endian. The path consists of the names of the adapters below the root, each followed by NUL. In
//! transient adapters a system id is a slot index and a generation, four octets each; in persistent ones it is 16
//! octets that are unique across runs of the program. Any other key is the name of a published object.

use std::collections::TryReserveError;

/// The first octet of keys that this ORB creates.
const MARK: u8 = b'Z';
const TRANSIENT: u8 = 1;
const PERSISTENT: u8 = 2;

/// The maximum length of an adapter path in octets.
pub const MAX_PATH: usize = 4096;

/// The parts of an object key, for tools that describe references. To clients a key is opaque, and
/// its layout may change between versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyParts<'a> {
    /// An object of a transient adapter.
    Transient {
        /// The adapter's index in its ORB.
        adapter: u32,
        /// Distinguishes the adapter from earlier and later ones with its index.
        stamp: u32,
        /// The object id.
        id: &'a [u8],
    },
    /// An object of a persistent adapter.
    Persistent {
        /// The names of the adapters below the root, each followed by NUL.
        path: &'a [u8],
        /// The object id.
        id: &'a [u8],
    },
    /// Not a key of an adapter: a published name, or a key of another ORB.
    Name(&'a [u8]),
}

impl<'a> KeyParts<'a> {
    /// Parses a key.
    pub fn parse(key: &'a [u8]) -> Self {
        Self::parse_adapter(key).unwrap_or(Self::Name(key))
    }

    fn parse_adapter(key: &'a [u8]) -> Option<Self> {
        match key.split_first_chunk::<2>()? {
            ([MARK, TRANSIENT], rest) => {
                let (adapter, rest) = rest.split_first_chunk::<4>()?;
                let (stamp, id) = rest.split_first_chunk::<4>()?;
                Some(Self::Transient {
                    adapter: u32::from_be_bytes(*adapter),
                    stamp: u32::from_be_bytes(*stamp),
                    id,
                })
            }
            ([MARK, PERSISTENT], rest) => {
                let (length, rest) = rest.split_first_chunk::<2>()?;
                let (path, id) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
                Some(Self::Persistent { path, id })
            }
            _ => None,
        }
    }

    /// The key's octets.
    pub(crate) fn to_key(self) -> Vec<u8> {
        let mut key = Vec::with_capacity(self.key_length());
        self.write_key(&mut key);
        key
    }

    /// The key's octets again.
    ///
    /// # Errors
    /// Without memory.
    pub(crate) fn try_to_key(self) -> Result<Vec<u8>, TryReserveError> {
        let mut key = Vec::new();
        key.try_reserve_exact(self.key_length())?;
        self.write_key(&mut key);
        Ok(key)
    }

    fn key_length(self) -> usize {
        match self {
            Self::Transient { id, .. } => 10 + id.len(),
            Self::Persistent { path, id } => 4 + path.len() + id.len(),
            Self::Name(name) => name.len(),
        }
    }

    fn write_key(self, key: &mut Vec<u8>) {
        match self {
            Self::Transient { adapter, stamp, id } => {
                key.extend_from_slice(&[MARK, TRANSIENT]);
                key.extend_from_slice(&adapter.to_be_bytes());
                key.extend_from_slice(&stamp.to_be_bytes());
                key.extend_from_slice(id);
            }
            Self::Persistent { path, id } => {
                key.extend_from_slice(&[MARK, PERSISTENT]);
                let length = u16::try_from(path.len()).unwrap_or(u16::MAX);
                key.extend_from_slice(&length.to_be_bytes());
                key.extend_from_slice(path);
                key.extend_from_slice(id);
            }
            Self::Name(name) => key.extend_from_slice(name),
        }
    }
}

/// The slot and generation in an object id that a transient adapter assigned; `None` for any other id.
#[inline]
pub fn system_id(id: &[u8]) -> Option<(u32, u32)> {
    let (index, generation) = id.split_first_chunk::<4>()?;
    let generation = generation.try_into().ok()?;
    Some((u32::from_be_bytes(*index), u32::from_be_bytes(generation)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parsing_returns_the_parts_of_a_key() {
        let transient = KeyParts::Transient { adapter: 7, stamp: 9, id: &[1, 2, 3] };
        assert_eq!(KeyParts::parse(&transient.to_key()), transient);
        let persistent = KeyParts::Persistent { path: b"a\0b\0", id: b"id" };
        assert_eq!(KeyParts::parse(&persistent.to_key()), persistent);
    }

    #[test]
    fn anything_else_is_a_name() {
        for key in
            [&b""[..], b"Z", b"Z\x01", b"Z\x01\0\0\0\0\0\0\0", b"Z\x02\xff\xff", b"NameService"]
        {
            assert_eq!(KeyParts::parse(key), KeyParts::Name(key));
        }
    }

    #[test]
    fn system_ids_are_eight_octets() {
        assert_eq!(system_id(&[0, 0, 0, 1, 0, 0, 0, 2]), Some((1, 2)));
        assert_eq!(system_id(&[0; 7]), None);
        assert_eq!(system_id(&[0; 9]), None);
    }
}
