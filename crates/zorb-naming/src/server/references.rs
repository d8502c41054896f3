//! References to the contexts of this server, in the stored form.

use std::sync::OnceLock;

use zorb::{Interface as _, SystemException};

use super::context_id::ContextId;
use super::stored;
use crate::cos_naming::NamingContextExt;

/// Makes references to contexts out of one that the adapter has made. They differ in the ids alone, as the endpoints and
/// policies of the adapter stay the same: making each of them anew takes 20,000 instructions.
#[derive(Debug, Default)]
pub(super) struct ContextReferences(OnceLock<Option<Pattern>>);

/// A reference to some context.
#[derive(Debug)]
struct Pattern {
    octets: Vec<u8>,
    /// Where its id is.
    ids: Vec<usize>,
}

impl Pattern {
    /// `None` if references do not only differ in octets of their ids.
    fn new(
        make: impl Fn(ContextId) -> Result<NamingContextExt, SystemException>,
    ) -> Result<Option<Self>, SystemException> {
        let stored = |id| Ok::<_, SystemException>(stored::encode(make(id)?.as_object().ior()));
        // Numbers that nothing else in the reference is by chance.
        let (id, other) = (ContextId::random(), ContextId::random());
        let octets = stored(id)?;
        let marks = octets.windows(size_of::<ContextId>()).enumerate();
        let marks = marks.filter(|(_, octets)| *octets == id.to_octets());
        let pattern = Self { ids: marks.map(|(at, _)| at).collect(), octets };
        let is_true = pattern.with(other) == stored(other)?;
        Ok(is_true.then_some(pattern))
    }

    fn with(&self, id: ContextId) -> Vec<u8> {
        let mut octets = self.octets.clone();
        let id = id.to_octets();
        for at in &self.ids {
            if let Some(place) = octets.get_mut(*at..*at + id.len()) {
                place.copy_from_slice(&id);
            }
        }
        octets
    }
}

impl ContextReferences {
    /// The reference to a context, as `make` would make it.
    ///
    /// # Errors
    /// Those of `make`.
    pub(super) fn stored(
        &self,
        id: ContextId,
        make: impl Fn(ContextId) -> Result<NamingContextExt, SystemException>,
    ) -> Result<Vec<u8>, SystemException> {
        let pattern = match self.0.get() {
            Some(known) => known,
            None => {
                let pattern = Pattern::new(&make)?;
                self.0.get_or_init(|| pattern)
            }
        };
        match pattern {
            Some(pattern) => Ok(pattern.with(id)),
            None => Ok(stored::encode(make(id)?.as_object().ior())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zorb::Orb;
    use zorb::poa::{ObjectId, PoaPolicies};

    #[test]
    fn references_are_those_of_the_adapter() {
        let endpoints: [&[&str]; 2] =
            [&["iiop://127.0.0.1:0"], &["iiop://127.0.0.1:0", "uiop://", "iiop://127.0.0.1:0"]];
        for urls in endpoints {
            let builder = Orb::builder().without_environment();
            let builder = urls.iter().fold(builder, |builder, url| builder.listen(*url));
            let orb = builder.build().unwrap();
            let policies = PoaPolicies::new().persistent().user_ids();
            let poa = orb.root_poa().create("contexts", policies).unwrap();
            let make = |id: ContextId| -> Result<NamingContextExt, SystemException> {
                Ok(poa.create_reference_with_id(ObjectId::new(id.to_octets()))?)
            };
            let references = ContextReferences::default();
            for id in [ContextId::ROOT, ContextId::random(), ContextId::random()] {
                let ior = stored::encode(make(id).unwrap().as_object().ior());
                assert_eq!(references.stored(id, make).unwrap(), ior);
            }
            assert!(references.0.get().unwrap().is_some(), "one pattern fits all");
            orb.shutdown(true).unwrap();
        }
    }

    #[test]
    fn references_that_differ_in_more_are_made_one_by_one() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let make = |id: ContextId| {
            let url = format!("corbaloc::127.0.0.1:1/{}", id.0);
            let object = orb.string_to_object(&url).unwrap().unwrap();
            Ok(NamingContextExt::from_object(object))
        };
        let references = ContextReferences::default();
        for id in [ContextId::ROOT, ContextId(12345)] {
            let ior = stored::encode(make(id).unwrap().as_object().ior());
            assert_eq!(references.stored(id, make).unwrap(), ior);
        }
    }
}
