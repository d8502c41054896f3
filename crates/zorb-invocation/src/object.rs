//! Object references.

mod calls;
mod dynamic;
mod policies;
mod variants;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use arc_swap::{ArcSwapOption, Guard};
use zorb_base::options::CollocationStrategy;
use zorb_giop::Ior;
use zorb_os::thread_safe::ThreadSafe;
use zorb_poa::CollocatedReference;
use zorb_types::SystemException;

use crate::client::{ClientCore, ConnectionPolicies, ObjectPolicies, Routes};
use crate::collocation::Collocation;

/// A reference to an object: `CORBA::Object`.
///
/// It is cheap to clone; clones share the routes to the object. The typed references that the IDL compiler
/// generates are thin wrappers around it.
#[derive(Clone)]
pub struct ObjectRef {
    shared: ThreadSafe<Arc<Shared>>,
    overrides: ThreadSafe<Option<Arc<ObjectPolicies>>>,
    collocation: CollocationStrategy,
}

pub(crate) struct Shared {
    core: Arc<ClientCore>,
    original: Binding,
    /// The reference to which a server has forwarded calls.
    forward: ArcSwapOption<Binding>,
    /// Whether a server ever has; usually not, and then calls do not read `forward`.
    was_forwarded: AtomicBool,
    /// The servant, if it is in this ORB.
    pub(crate) collocation: Collocation,
    /// Whether a call has succeeded whose policies forbid rebinding.
    bound: AtomicBool,
    /// References to the same object with other policies.
    variants: Variants,
}

/// A list that only grows, and is read without a lock.
#[derive(Default)]
pub(crate) struct Variants(OnceLock<Box<Variant>>);

struct Variant {
    object: ObjectRef,
    next: Variants,
}

/// A reference with the routes to its object, which are resolved on first use.
#[derive(Debug)]
pub(crate) struct Binding {
    ior: Ior,
    policies: Option<Arc<ConnectionPolicies>>,
    routes: OnceLock<Routes>,
}

/// The reference to which a server has forwarded calls, if one has. Borrowed, because all callers would write a
/// reference count.
pub(crate) struct Forwarded(Option<Guard<Option<Arc<Binding>>>>);

impl Forwarded {
    #[inline]
    pub(crate) fn binding(&self) -> Option<&Binding> {
        self.0.as_ref()?.as_deref()
    }

    /// The same, to keep it.
    pub(crate) fn to_arc(&self) -> Option<Arc<Binding>> {
        self.0.as_ref()?.as_ref().map(Arc::clone)
    }
}

impl Binding {
    fn new(ior: Ior, policies: Option<Arc<ConnectionPolicies>>) -> Self {
        Self { ior, policies, routes: OnceLock::new() }
    }

    pub(crate) fn ior(&self) -> &Ior {
        &self.ior
    }

    /// The routes to the object.
    ///
    /// # Errors
    /// `NO_MEMORY`: there is none to resolve them. The next call tries it again.
    #[inline]
    pub(crate) fn routes(&self, core: &ClientCore) -> Result<&Routes, SystemException> {
        match self.routes.get() {
            Some(routes) => Ok(routes),
            None => self.resolve(core),
        }
    }

    /// Calls factories of interceptors, which may call the ORB: other threads do not wait for them.
    #[cold]
    fn resolve(&self, core: &ClientCore) -> Result<&Routes, SystemException> {
        let routes = Routes::resolve(core, &self.ior, self.policies.as_ref())?;
        Ok(self.routes.get_or_init(|| routes))
    }
}

impl Shared {
    fn new(core: &Arc<ClientCore>, ior: Ior, policies: Option<Arc<ConnectionPolicies>>) -> Self {
        Self {
            core: Arc::clone(core),
            original: Binding::new(ior, policies),
            forward: ArcSwapOption::empty(),
            was_forwarded: AtomicBool::new(false),
            collocation: Collocation::default(),
            bound: AtomicBool::new(false),
            variants: Variants::default(),
        }
    }

    fn connection_policies(&self) -> Option<&Arc<ConnectionPolicies>> {
        self.original.policies.as_ref()
    }
}

impl CollocatedReference for Shared {
    fn forget_servant(&self) {
        self.collocation.set_target(None);
    }
}

impl ObjectRef {
    /// A reference to the object of an IOR.
    #[doc(hidden)]
    pub fn new(core: &Arc<ClientCore>, ior: Ior) -> Self {
        let shared = Shared::new(core, ior, None);
        let collocation = core.options().collocation_strategy;
        Self {
            shared: ThreadSafe::new(Arc::new(shared)),
            overrides: ThreadSafe::new(None),
            collocation,
        }
    }

    #[inline]
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The calling side of its ORB.
    #[doc(hidden)]
    #[inline]
    pub fn core(&self) -> &Arc<ClientCore> {
        &self.shared.core
    }

    /// The interoperable object reference behind this one.
    pub fn ior(&self) -> &Ior {
        &self.shared.original.ior
    }

    /// The reference to which a server has forwarded calls and LocateRequests, if one has: the actual location of the
    /// object.
    pub fn forwarded_ior(&self) -> Option<Ior> {
        self.forwarded().binding().map(|binding| binding.ior.clone())
    }

    pub(crate) fn binding(&self) -> &Binding {
        &self.shared.original
    }

    /// Whether a server has ever forwarded calls.
    #[inline]
    pub(crate) fn was_forwarded(&self) -> bool {
        self.shared.was_forwarded.load(Ordering::Acquire)
    }

    /// The reference to which a server has forwarded calls.
    #[inline]
    pub(crate) fn forwarded(&self) -> Forwarded {
        Forwarded(self.was_forwarded().then(|| self.shared.forward.load()))
    }

    pub(crate) fn forward_to(&self, ior: Ior) -> Arc<Binding> {
        let binding = Arc::new(Binding::new(ior, self.shared.connection_policies().cloned()));
        self.shared.forward.store(Some(Arc::clone(&binding)));
        self.shared.was_forwarded.store(true, Ordering::Release);
        self.shared.collocation.forget();
        binding
    }

    pub(crate) fn forget_forward(&self) {
        self.shared.forward.store(None);
        self.shared.collocation.forget();
    }

    /// The reference as text: `IOR:` and hexadecimal digits (`object_to_string`). It is empty for a reference
    /// without an encoding, which the ORB never creates or receives.
    #[doc(alias = "object_to_string")]
    pub fn to_ior_string(&self) -> String {
        self.ior().to_stringified().unwrap_or_default()
    }

    /// The same object, with another `strategy` of calls within its ORB. It overrides the option
    /// `CollocationStrategy`.
    #[must_use]
    pub fn with_collocation(&self, strategy: CollocationStrategy) -> Self {
        Self { collocation: strategy, ..self.clone() }
    }

    #[inline]
    pub(crate) fn collocation(&self) -> CollocationStrategy {
        self.collocation
    }

    /// Whether the reference belongs to the ORB `core` and has no overrides.
    pub(crate) fn is_plain(&self, core: &Arc<ClientCore>) -> bool {
        Arc::ptr_eq(self.core(), core)
            && self.overrides.is_none()
            && self.collocation == core.options().collocation_strategy
    }

    /// Whether a call has succeeded whose policies forbid rebinding.
    pub(crate) fn is_bound(&self) -> bool {
        self.shared.bound.load(Ordering::Acquire)
    }

    pub(crate) fn bind(&self) {
        self.shared.bound.store(true, Ordering::Release);
    }

    /// The object keys of the profiles that this ORB understands.
    #[doc(hidden)]
    pub fn keys(&self) -> Vec<Vec<u8>> {
        let protocols = self.core().protocols();
        let profiles = self.ior().profiles.iter();
        profiles
            .filter_map(|profile| {
                let plain = protocols.by_profile_tag(profile.tag);
                let extended = protocols.by_extended_tag(profile.tag);
                plain.into_iter().chain(extended).find_map(|p| p.decode_profile(profile).ok())
            })
            .map(|resolved| resolved.object_key)
            .collect()
    }

    /// Whether both references certainly denote the same object (`_is_equivalent`): they have the same profiles.
    /// References to the same object may differ.
    #[doc(alias = "_is_equivalent")]
    pub fn is_equivalent(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared) || self.ior().profiles == other.ior().profiles
    }
}

impl PartialEq for ObjectRef {
    fn eq(&self, other: &Self) -> bool {
        self.is_equivalent(other)
    }
}

impl Eq for ObjectRef {}

impl Hash for ObjectRef {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for profile in &self.ior().profiles {
            profile.data.hash(state);
        }
    }
}

impl fmt::Debug for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectRef")
            .field("type_id", &self.ior().type_id)
            .field("profiles", &self.ior().profiles.len())
            .finish_non_exhaustive()
    }
}
