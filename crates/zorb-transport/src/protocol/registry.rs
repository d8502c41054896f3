//! The protocols that an ORB speaks.
#![expect(clippy::disallowed_types, reason = "written when the program starts")]

use std::sync::{Arc, PoisonError, RwLock};

use zorb_giop::{Ior, ProfileTag, TaggedProfile};

use super::{ProfileError, Protocol, RegistryError, ResolvedProfile, fields};

/// The protocol that an object is called with by one of its profiles, and what that profile says.
type Resolved = (Arc<dyn Protocol>, ResolvedProfile);

/// The protocols that an ORB speaks, found by URL scheme, kind of profile or `corbaloc` prefix.
///
/// The facade registers the usual ones and users theirs, at run time and from any thread.
/// Looking one up takes a lock that readers share, and none is needed once a reference is
/// resolved.
#[derive(Debug, Default)]
pub struct ProtocolRegistry {
    // In order of registration. There are a handful: a walk is as fast as any table.
    protocols: RwLock<Vec<Arc<dyn Protocol>>>,
}

impl ProtocolRegistry {
    /// A registry without protocols.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes note of what policies in references say of a protocol, which need not be one of a
    /// registry.
    pub fn note(protocol: &dyn Protocol) {
        fields::note(protocol.profile_tag(), protocol.property_fields());
    }

    /// Adds a protocol.
    ///
    /// # Errors
    /// [`RegistryError`] when its scheme or `corbaloc` prefix is taken, or its kind of profile, unless
    /// one of both [extends](Protocol::extends_profiles) the other's; nothing is changed then.
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
        Self::note(&*protocol);
        protocols.push(protocol);
        Ok(())
    }

    /// The protocol of a URL scheme, in any case.
    #[must_use]
    pub fn by_scheme(&self, scheme: &str) -> Option<Arc<dyn Protocol>> {
        self.find(|protocol| protocol.scheme().eq_ignore_ascii_case(scheme))
    }

    /// The protocol of a kind of profile, not one that extends them.
    #[must_use]
    pub fn by_profile_tag(&self, tag: ProfileTag) -> Option<Arc<dyn Protocol>> {
        self.find(|protocol| protocol.profile_tag() == tag && !protocol.extends_profiles())
    }

    /// The protocol that [extends](Protocol::extends_profiles) profiles of this kind.
    #[must_use]
    pub fn by_extended_tag(&self, tag: ProfileTag) -> Option<Arc<dyn Protocol>> {
        self.find(|protocol| protocol.profile_tag() == tag && protocol.extends_profiles())
    }

    /// The protocol of a `corbaloc` prefix, in any case. The empty prefix is the caller's to
    /// read as `iiop`.
    #[must_use]
    pub fn by_corbaloc_prefix(&self, prefix: &str) -> Option<Arc<dyn Protocol>> {
        self.find(|protocol| protocol.corbaloc_prefix().eq_ignore_ascii_case(prefix))
    }

    /// The protocol that an object is called with by `profile`, one of the profiles of its reference
    /// `ior`, and what that says. Nothing where there is no protocol for it, or where another profile
    /// tells of a better way that this one may be there to keep clients from.
    ///
    /// # Errors
    /// Why the protocol cannot use the profile.
    #[must_use]
    pub fn resolve(
        &self,
        ior: &Ior,
        profile: &TaggedProfile,
    ) -> Option<Result<Resolved, ProfileError>> {
        if let Some(protocol) = self.by_extended_tag(profile.tag) {
            if let Ok(resolved) = protocol.decode_profile(profile) {
                return Some(Ok((protocol, resolved)));
            }
            // Whoever keeps the better way from working shall not thereby have the other one taken.
            let mut alike = ior.profiles.iter().filter(|other| other.tag == profile.tag);
            if alike.any(|other| protocol.decode_profile(other).is_ok()) {
                return None;
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

/// Makes one profile of those of an object where protocols that [extend](Protocol::extends_profiles)
/// others' profiles can [put theirs in](Protocol::join_profile), for who makes references.
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
