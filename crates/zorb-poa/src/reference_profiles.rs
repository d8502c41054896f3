//! The profiles of references to the objects of an adapter.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arc_swap::ArcSwapOption;
use zorb_giop::TaggedProfile;

/// The profiles of references to the objects that have the policies of their adapter. They differ in the object ids
/// alone: encoding them for each reference takes 20,000 instructions.
pub(crate) struct ReferenceProfiles {
    encoded: ArcSwapOption<Encoded>,
    /// The length of the id in the last reference whose profiles were encoded.
    last_length: AtomicUsize,
}

/// A length that no id has.
const NONE: usize = usize::MAX;

impl Default for ReferenceProfiles {
    fn default() -> Self {
        Self { encoded: ArcSwapOption::empty(), last_length: AtomicUsize::new(NONE) }
    }
}

impl ReferenceProfiles {
    /// The profiles of the object `id`, as `encode` encodes them. `endpoints` is a number that changes with the endpoints
    /// that they contain, read before the call.
    ///
    /// # Errors
    /// Those of `encode`.
    pub(crate) fn of<E>(
        &self,
        id: &[u8],
        endpoints: u64,
        encode: impl Fn(&[u8]) -> Result<Vec<TaggedProfile>, E>,
    ) -> Result<Vec<TaggedProfile>, E> {
        if let Some(encoded) = &*self.encoded.load()
            && encoded.endpoints == endpoints
            && encoded.id_length == id.len()
        {
            return Ok(encoded.with(id));
        }
        let profiles = encode(id)?;
        // Not for the first of a length: most adapters of one object never need it, and ids of alternating lengths
        // would only displace each other.
        if self.last_length.swap(id.len(), Ordering::Relaxed) == id.len()
            && let Some(encoded) = Encoded::new(id, endpoints, &profiles, |id| encode(id).ok())
        {
            self.encoded.store(Some(Arc::new(encoded)));
        }
        Ok(profiles)
    }
}

/// Profiles of some object.
struct Encoded {
    /// The endpoints that they contain.
    endpoints: u64,
    id_length: usize,
    profiles: Vec<TaggedProfile>,
    /// Where its id is: an index of a profile, and an offset in its octets.
    positions: Vec<(usize, usize)>,
}

impl Encoded {
    /// `None` if the profiles of another object differ in more than its id.
    fn new(
        id: &[u8],
        endpoints: u64,
        profiles: &[TaggedProfile],
        encode: impl FnOnce(&[u8]) -> Option<Vec<TaggedProfile>>,
    ) -> Option<Self> {
        // It differs in each octet, so that all its positions are seen.
        let other: Vec<u8> = id.iter().map(|octet| !octet).collect();
        let others = encode(&other)?;
        let mut positions = Vec::new();
        for (index, profile) in profiles.iter().enumerate() {
            let (data, changed) = (&profile.data, &others.get(index)?.data);
            let mut at = 0;
            while let Some(same) = differing(data.get(at..)?, changed.get(at..)?) {
                at += same;
                let range = at..at + id.len();
                let is_id = data.get(range.clone())? == id && *changed.get(range)? == other;
                if id.is_empty() || !is_id {
                    return None;
                }
                positions.push((index, at));
                at += id.len();
            }
        }
        let encoded =
            Self { endpoints, id_length: id.len(), profiles: profiles.to_vec(), positions };
        (encoded.with(&other) == others).then_some(encoded)
    }

    fn with(&self, id: &[u8]) -> Vec<TaggedProfile> {
        let mut profiles = self.profiles.clone();
        for &(index, at) in &self.positions {
            let profile = profiles.get_mut(index);
            if let Some(range) = profile.and_then(|one| one.data.get_mut(at..at + id.len())) {
                range.copy_from_slice(id);
            }
        }
        profiles
    }
}

/// The index of the first octet in which two differ.
fn differing(one: &[u8], other: &[u8]) -> Option<usize> {
    one.iter().zip(other).position(|(one, other)| one != other)
}

#[cfg(test)]
mod tests;
