//! How requests refer to their object: by its key, unless its server asks for the profile or the reference
//! (`GIOP::AddressingDisposition`).

use std::borrow::Cow;
use std::collections::TryReserveError;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI16, Ordering};

use zorb_cdr::fallible;
use zorb_giop::{AddressingDisposition, Ior, TaggedProfile, TargetAddress};

/// How the requests of a route refer to their object.
#[derive(Debug, Default)]
pub(super) struct Addressing(OnceLock<Box<FullAddress>>);

/// The address for a server that has asked for more than the object key.
#[derive(Debug)]
struct FullAddress {
    ior: Ior,
    /// The index of the route's profile.
    selected: u32,
    /// The form that the server asked for last.
    disposition: AtomicI16,
}

impl Addressing {
    /// Whether requests contain only the object key, as the server has not asked for more.
    #[inline]
    pub(super) fn is_by_key(&self) -> bool {
        self.0.get().is_none()
    }

    /// The target of a request for the object with this key.
    #[inline]
    pub(super) fn target<'a>(&'a self, key: &'a [u8]) -> TargetAddress<'a> {
        match self.0.get() {
            None => TargetAddress::Key(key),
            Some(full) => full.target(key),
        }
    }

    /// Sets the form that the server asks for; `selected` is the index of the profile in `ior`. Returns whether
    /// that changes anything.
    ///
    /// # Errors
    /// Without memory for a copy of `ior`.
    pub(super) fn change(
        &self,
        ior: &Ior,
        selected: u32,
        wanted: AddressingDisposition,
    ) -> Result<bool, TryReserveError> {
        if self.is_by_key() {
            if wanted == AddressingDisposition::KeyAddr {
                return Ok(false);
            }
            let disposition = AtomicI16::new(AddressingDisposition::KeyAddr as i16);
            let full = FullAddress { ior: copy(ior)?, selected, disposition };
            // Another call may have set it meanwhile.
            let _ = self.0.set(Box::new(full));
        }
        let wanted = wanted as i16;
        let full = self.0.get();
        let before = full.map(|full| full.disposition.swap(wanted, Ordering::Relaxed));
        Ok(before != Some(wanted))
    }
}

fn copy(ior: &Ior) -> Result<Ior, TryReserveError> {
    let type_id = fallible::copy_text(&ior.type_id)?;
    let mut profiles = Vec::new();
    profiles.try_reserve_exact(ior.profiles.len())?;
    for TaggedProfile { tag, data } in &ior.profiles {
        profiles.push(TaggedProfile { tag: *tag, data: fallible::copy(data)? });
    }
    Ok(Ior { type_id, profiles })
}

impl FullAddress {
    #[cold]
    fn target<'a>(&'a self, key: &'a [u8]) -> TargetAddress<'a> {
        let Self { ior, selected, disposition } = self;
        let disposition = AddressingDisposition::from_short(disposition.load(Ordering::Relaxed));
        let profile = usize::try_from(*selected).ok().and_then(|index| ior.profiles.get(index));
        match (disposition, profile) {
            (Some(AddressingDisposition::ProfileAddr), Some(profile)) => {
                TargetAddress::Profile { tag: profile.tag, data: &profile.data }
            }
            (Some(AddressingDisposition::ReferenceAddr), _) => {
                TargetAddress::Reference { selected: *selected, ior: Cow::Borrowed(ior) }
            }
            _ => TargetAddress::Key(key),
        }
    }
}
