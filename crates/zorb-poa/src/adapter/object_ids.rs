//! The object ids and object keys of an adapter.

use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

use zorb_base::object_id::ObjectId;
use zorb_giop::TaggedProfile;
use zorb_types::{CompletionStatus, ErrorContext, Phase, SystemException, minor};

use super::ObjectAdapter;
use crate::error::PoaError;
use crate::key::KeyParts;
use crate::policies::{IdAssignment, Lifespan};

impl ObjectAdapter {
    /// Creates the id of an object that is not active. In a persistent adapter no other run of the program creates
    /// it: it consists of the time and a counter. In a transient one, it contains the adapter instead of the time.
    pub fn new_id(&self) -> ObjectId {
        let count = self.next_id.fetch_add(1, Ordering::Relaxed);
        let origin = match self.policies.lifespan {
            Lifespan::Transient => self.number(),
            Lifespan::Persistent => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
            }
        };
        ObjectId::new([origin.to_be_bytes(), count.to_be_bytes()].concat())
    }

    /// Distinguishes the adapter from others of its ORB.
    fn number(&self) -> u64 {
        u64::from(self.stamp) << 32 | u64::from(self.index)
    }

    /// Checks that the program may use `id` in this adapter. If the adapter assigns the ids, it must have assigned
    /// this one; a persistent adapter recognizes only the form of its ids.
    ///
    /// # Errors
    /// `BAD_PARAM` (OMG 14) for a foreign id.
    pub fn check_id(&self, id: &ObjectId) -> Result<(), PoaError> {
        if self.policies.id_assignment == IdAssignment::User
            || self.objects.has_assigned(id.as_bytes())
            || self.has_created(id.as_bytes())
        {
            return Ok(());
        }
        Err(foreign_id())
    }

    /// Whether [`new_id`](Self::new_id) may have created an id.
    fn has_created(&self, id: &[u8]) -> bool {
        let Some((origin, count)) = id.split_first_chunk::<8>() else { return false };
        let Ok(count) = <[u8; 8]>::try_from(count) else { return false };
        match self.policies.lifespan {
            Lifespan::Transient => {
                u64::from_be_bytes(*origin) == self.number()
                    && u64::from_be_bytes(count) < self.next_id.load(Ordering::Relaxed)
            }
            Lifespan::Persistent => true,
        }
    }

    /// The object key for the object `id` of this adapter.
    pub fn key(&self, id: &[u8]) -> Vec<u8> {
        match self.policies.lifespan {
            Lifespan::Transient => {
                KeyParts::Transient { adapter: self.index, stamp: self.stamp, id }.to_key()
            }
            Lifespan::Persistent => KeyParts::Persistent { path: &self.path, id }.to_key(),
        }
    }

    /// The profiles of a reference to the object `id`, as `encode` encodes them for an object with the policies of the
    /// adapter. `endpoints` is a number that changes with the endpoints that they contain, read before the call.
    ///
    /// # Errors
    /// Those of `encode`.
    pub fn reference_profiles<E>(
        &self,
        id: &[u8],
        endpoints: u64,
        encode: impl Fn(&[u8]) -> Result<Vec<TaggedProfile>, E>,
    ) -> Result<Vec<TaggedProfile>, E> {
        self.reference_profiles.of(id, endpoints, encode)
    }

    /// The object id in a key of this adapter; `None` for the key of another adapter.
    pub fn id_in_key(&self, key: &KeyParts<'_>) -> Option<ObjectId> {
        match *key {
            KeyParts::Transient { adapter, stamp, id }
                if adapter == self.index && stamp == self.stamp =>
            {
                Some(ObjectId::from(id))
            }
            KeyParts::Persistent { path, id } if path == self.path => Some(ObjectId::from(id)),
            _ => None,
        }
    }
}

/// The error for an id that the adapter has not assigned.
#[cold]
fn foreign_id() -> PoaError {
    let code = minor::bad_param::INVALID_OBJECT_ID;
    let context = ErrorContext::new(Phase::Adapter).with_hint(
        "the adapter assigns the ids: create one with PoaPolicies::user_ids for ids of your own",
    );
    PoaError::System(SystemException::bad_param(code, CompletionStatus::No).with_context(context))
}
