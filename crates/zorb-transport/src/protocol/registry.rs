//! The registry of protocols.
#![expect(clippy::disallowed_types, reason = "written when the program starts")]

use std::sync::{Arc, PoisonError, RwLock};

use zorb_giop::{Ior, ProfileTag, TaggedProfile};

use super::{ProfileError, Protocol, RegistryError, ResolvedProfile, fields};

/// The protocol selected for a profile, and the profile's contents.
type Resolved = (Arc<dyn Protocol>, ResolvedProfile);

/// The protocols of an ORB by URL scheme, kind of profile and `corbaloc` prefix.
///
/// The facade registers the defaults, and programs their own, at run time and from any thread. A
/// lookup takes a lock that readers share; none is needed after a reference is resolved.
#[derive(Debug, Default)]
pub struct ProtocolRegistry {
    // In order of registration. There are so few that a linear search is as fast as a table.
    protocols: RwLock<Vec<Arc<dyn Protocol>>>,
}

impl ProtocolRegistry {
    /// An empty registry.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Records the property fields of a protocol without registering it.
    pub fn record_property_fields(protocol: &dyn Protocol) {
        fields::note(protocol.profile_tag(), protocol.property_fields());
    }

    /// Registers a protocol.
    ///
    /// # Errors
    /// [`RegistryError`] if its scheme, `corbaloc` prefix or kind of profile is already registered
    /// (the kind unless one of the two [extends](Protocol::extends_profiles) the other's profiles).
    /// The registry is unchanged then.
    pub fn register(&self, protocol: Arc<dyn Protocol>) -> Result<(), RegistryError> {
        let mut protocols = self.protocols.write().unwrap_or_else(PoisonError::into_inner);
        for known in protocols.iter() {
            if known.scheme() == protocol.scheme() {
                return Err(RegistryError::Scheme(protocol.scheme().to_owned()));
            }
            if known.profile_tag() == protocol.profile_tag()
                && known.extends_profiles() == protocol.extends_profiles()
            {
                return Err(RegistryError::ProfileTag(protocol.profile_tag()));
            }
            if known.corbaloc_prefix() == protocol.corbaloc_prefix() {
                let prefix = protocol.corbaloc_prefix().to_owned();
                return Err(RegistryError::CorbalocPrefix(prefix));
            }
        }
        Self::record_property_fields(&*protocol);
        protocols.push(protocol);
        Ok(())
    }

    /// The protocol of a URL scheme, case-insensitive.
    #[must_use]
    pub fn by_scheme(&self, scheme: &str) -> Option<Arc<dyn Protocol>> {
        self.find(|protocol| protocol.scheme().eq_ignore_ascii_case(scheme))
    }

    /// The protocol of a kind of profile, other than those that extend it.
    #[must_use]
    pub fn by_profile_tag(&self, tag: ProfileTag) -> Option<Arc<dyn Protocol>> {
        self.find(|protocol| protocol.profile_tag() == tag && !protocol.extends_profiles())
    }

    /// The protocol that [extends](Protocol::extends_profiles) profiles of this kind.
    #[must_use]
    pub fn by_extended_tag(&self, tag: ProfileTag) -> Option<Arc<dyn Protocol>> {
        self.find(|protocol| protocol.profile_tag() == tag && protocol.extends_profiles())
    }

    /// The protocol of a `corbaloc` prefix, case-insensitive. The caller replaces the empty prefix
    /// by `iiop`.
    #[must_use]
    pub fn by_corbaloc_prefix(&self, prefix: &str) -> Option<Arc<dyn Protocol>> {
        self.find(|protocol| protocol.corbaloc_prefix().eq_ignore_ascii_case(prefix))
    }

    /// The protocol for `profile`, a profile of the reference `ior`, and the contents of the
    /// profile. `None` if there is no protocol for it, or if another profile offers a more secure
    /// alternative to it.
    ///
    /// # Errors
    /// The protocol cannot use the profile.
    #[must_use]
    pub fn resolve(
        &self,
        ior: &Ior,
        profile: &TaggedProfile,
    ) -> Option<Result<Resolved, ProfileError>> {
        if let Some(protocol) = self.by_extended_tag(profile.tag) {
            // A failure of the secure alternative must not cause a fallback to the other, nor a lack of memory for it.
            match protocol.decode_profile(profile) {
                Ok(resolved) => return Some(Ok((protocol, resolved))),
                Err(error) if error.is_out_of_memory() => return Some(Err(error)),
                Err(_) => {}
            }
            let alike = ior.profiles.iter().filter(|other| other.tag == profile.tag);
            for other in alike {
                match protocol.decode_profile(other) {
                    Ok(_) => return None,
                    Err(error) if error.is_out_of_memory() => return Some(Err(error)),
                    Err(_) => {}
                }
            }
        }
        let protocol = self.by_profile_tag(profile.tag)?;
        let resolved = protocol.decode_profile(profile);
        Some(resolved.map(|resolved| (protocol, resolved)))
    }

    /// All protocols, in order of registration.
    #[must_use]
    pub fn protocols(&self) -> Vec<Arc<dyn Protocol>> {
        self.protocols.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn find(&self, wanted: impl Fn(&dyn Protocol) -> bool) -> Option<Arc<dyn Protocol>> {
        let protocols = self.protocols.read().unwrap_or_else(PoisonError::into_inner);
        protocols.iter().find(|protocol| wanted(&***protocol)).cloned()
    }
}

/// Combines the profiles of an object where protocols that [extend](Protocol::extends_profiles)
/// profiles can [join](Protocol::join_profile) them, for creators of references.
#[must_use]
pub fn join_profiles(mut profiles: Vec<(Arc<dyn Protocol>, TaggedProfile)>) -> Vec<TaggedProfile> {
    let mut at = 0;
    while let Some((protocol, own)) = profiles.get(at).cloned() {
        let into = protocol.extends_profiles().then(|| {
            profiles.iter_mut().find_map(|(other, profile)| {
                let extended = !other.extends_profiles() && profile.tag == own.tag;
                (extended && protocol.join_profile(&own, profile)).then_some(())
            })
        });
        match into.flatten() {
            Some(()) => drop(profiles.remove(at)),
            None => at += 1,
        }
    }
    profiles.into_iter().map(|(_, profile)| profile).collect()
}
