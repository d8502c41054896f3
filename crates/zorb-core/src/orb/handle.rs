//! The handle to an ORB.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Weak};

use zorb_base::error::Error;
use zorb_base::options::Options;
use zorb_base::orb_core::OrbCore;
use zorb_giop::Ior;
use zorb_invocation::interface::Interface;
use zorb_invocation::object::ObjectRef;
use zorb_poa::{Access, AdapterCache, Forwarder, HeldRequests, PoaManager};
use zorb_transport::ProtocolRegistry;
use zorb_types::Typed;

use super::inner::OrbInner;
use super::poa::{Poa, PoaCurrent};
use super::policy_current::PolicyCurrent;
use super::policy_manager::PolicyManager;
use super::resolve;

/// A handle to an object request broker. Clones are the same ORB.
///
/// A client needs `Orb::builder().build()` and [`resolve`](Self::resolve). A server also sets the endpoints to
/// listen on, activates servants and calls [`run`](Self::run). The facade's `zorb::Orb` wraps this type and
/// registers the protocols of the build.
#[derive(Clone)]
pub struct Orb {
    pub(super) inner: Arc<OrbInner>,
}

/// A weak reference to an ORB, which avoids reference cycles.
#[derive(Clone)]
pub struct WeakOrb(Weak<OrbInner>);

impl WeakOrb {
    /// The ORB; `None` if it has been dropped.
    pub fn upgrade(&self) -> Option<Orb> {
        self.0.upgrade().map(Orb::from_inner)
    }
}

impl fmt::Debug for WeakOrb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WeakOrb")
    }
}

impl Orb {
    /// A weak handle, which does not keep the ORB alive.
    pub fn downgrade(&self) -> WeakOrb {
        WeakOrb(Arc::downgrade(&self.inner))
    }

    /// A reference to the object that `ior` identifies.
    pub fn object(&self, ior: Ior) -> ObjectRef {
        self.inner.client.permit_sockets_of(&ior);
        ObjectRef::new(&self.inner.client, ior)
    }

    pub(super) fn from_inner(inner: Arc<OrbInner>) -> Self {
        Self { inner }
    }

    pub(super) fn core(&self) -> &OrbCore {
        &self.inner.core
    }

    /// The ORB of a reference (`_get_orb`); `None` if it has been dropped.
    #[doc(alias = "_get_orb")]
    pub fn of(object: &ObjectRef) -> Option<Self> {
        object.core().owner()?.downcast().ok().map(Self::from_inner)
    }

    /// The id of this ORB (`id`), from the option `Id`; empty if it has none. Two ORBs of a process have the same id
    /// only if it is empty. The id is in the names of the ORB's threads (`front-serve-1` instead of `zorb-serve-1`), in the
    /// span `orb` of what they log, and in reports of threads that do not end.
    pub fn id(&self) -> &str {
        &self.options().id
    }

    /// The effective options.
    pub fn options(&self) -> &Options {
        self.inner.core.options()
    }

    /// The ORB's protocols. More may be registered at any time; references that have been called already do not
    /// use them.
    pub fn protocols(&self) -> &Arc<ProtocolRegistry> {
        self.inner.core.protocols()
    }

    /// The root object adapter. The first call creates it, with the server policies that the ORB's policy manager
    /// has at that time. Its POA manager starts in the state active.
    #[doc(alias = "RootPOA")]
    pub fn root_poa(&self) -> Poa {
        Poa::root(&self.inner)
    }

    /// The policies of this ORB (the initial reference `ORBPolicyManager`).
    pub fn policy_manager(&self) -> PolicyManager {
        PolicyManager::new(&self.inner)
    }

    /// The object that the calling thread serves (`PortableServer::Current`).
    pub fn poa_current(&self) -> PoaCurrent {
        PoaCurrent::new(&self.inner)
    }

    /// The policies of the calling thread for this ORB (the initial reference `PolicyCurrent`).
    pub fn policy_current(&self) -> PolicyCurrent {
        PolicyCurrent::new(&self.inner.client)
    }

    /// Creates a POA manager in the holding state. The ORB makes its id up; for an id of the program's choice, use
    /// [`Poa::manager_factory`], which knows this manager as soon as it has an adapter.
    pub fn create_poa_manager(&self) -> PoaManager {
        self.inner.adapters.managers().create_unnamed()
    }

    /// The ORB's endpoints as in its references: `iiop://host:port`. It may not [listen](Self::serve) there yet.
    pub fn endpoints(&self) -> Vec<String> {
        self.inner.server.published_endpoints().iter().map(ToString::to_string).collect()
    }

    /// A function that returns the address of the servant for an object key. It demultiplexes as a connection
    /// does; `zorb bench demux` measures it.
    #[doc(hidden)]
    pub fn servant_finder(&self) -> impl FnMut(&[u8]) -> Option<usize> + use<> {
        let adapters = Arc::clone(&self.inner.adapters);
        let mut known = AdapterCache::default();
        move |object_key| match adapters.admit_key(object_key, Some(&mut known), Access::LOCAL) {
            Ok(found) => found.object().map(|object| object.skeleton.identity()),
            _ => None,
        }
    }

    /// Converts a URL or stringified reference to a typed reference (`string_to_object`, `_narrow`).
    ///
    /// The schemes are `IOR:`, `corbaloc:`, `corbaname:` and `file:`. Unless the type id in the reference is that
    /// of `T` or of a known derived interface, the object is asked with `_is_a`.
    ///
    /// # Errors
    /// `BAD_PARAM` (OMG 7 to 10) for malformed text; `BAD_PARAM`, minor `WRONG_INTERFACE`, if the object is not a
    /// `T`; `BAD_INV_ORDER` (OMG 4) after a shutdown; an error without an exception if the reference is nil; the exception of a call that failed.
    pub fn resolve<T: Interface>(&self, url: &str) -> Result<T, Error> {
        self.inner.core.check_running()?;
        resolve::resolve_typed(&self.inner, url)
    }

    /// Converts a URL or stringified reference to a reference; `None` for nil. It calls no object, except the
    /// naming service for `corbaname:`.
    ///
    /// # Errors
    /// `BAD_PARAM` (OMG 7 to 10) for malformed text; for `corbaname:` also the failure of the naming service;
    /// `BAD_INV_ORDER` (OMG 4) after a shutdown.
    pub fn string_to_object(&self, url: &str) -> Result<Option<ObjectRef>, Error> {
        self.inner.core.check_running()?;
        resolve::string_to_object(&self.inner, url, 0)
    }

    /// The initial reference `name`, such as `"NameService"` (`resolve_initial_references`).
    ///
    /// It is looked up, in this order, in [`register_initial_reference`](Self::register_initial_reference), the
    /// option `InitRef`, and the option `DefaultInitRef`.
    ///
    /// # Errors
    /// The name is unknown ([`InvalidName`](crate::InvalidName)), or its URL does not resolve; `BAD_INV_ORDER` (OMG 4) after a shutdown.
    #[doc(alias = "resolve_initial_references")]
    pub fn initial_reference<T: Interface>(&self, name: &str) -> Result<T, Error> {
        self.inner.core.check_running()?;
        resolve::typed_initial_reference(&self.inner, name)
    }

    /// Sets an initial reference of this process (`register_initial_reference`).
    ///
    /// # Errors
    /// [`InvalidName`](crate::InvalidName): the name is empty or taken; `BAD_INV_ORDER` (OMG 4) after a shutdown.
    pub fn register_initial_reference<T: Interface>(
        &self,
        name: &str,
        reference: &T,
    ) -> Result<(), Error> {
        self.inner.core.check_running()?;
        resolve::register_initial(&self.inner, name, reference.as_object())
    }

    /// Extracts a `T` from an any; `None` if the any holds another type.
    ///
    /// Object references and valuetypes need this method: references belong to an ORB, and values of
    /// [registered](Self::register_value) derived types are extracted whole.
    /// [`Any::get`](zorb_types::Any::get) suffices for other types; it truncates derived values to `T`.
    pub fn extract<T: Typed>(&self, any: &zorb_types::Any) -> Option<T::Value> {
        any.get_with::<T>(&self.inner.client)
    }

    /// Stores a value for as long as the ORB exists, and replaces the one of the same type. Extensions of
    /// the ORB keep their state here. The value must not own an `Orb`, which would then never end.
    pub fn attach<T: Any + Clone + Send + Sync>(&self, value: T) {
        let mut attached = self.inner.attached.lock();
        attached.retain(|known| !known.is::<T>());
        attached.push(Box::new(value));
    }

    /// The [attached](Self::attach) value of this type.
    pub fn attached<T: Any + Clone + Send + Sync>(&self) -> Option<T> {
        let attached = self.inner.attached.lock();
        attached.iter().find_map(|known| known.downcast_ref::<T>()).cloned()
    }

    #[cfg(test)]
    pub(crate) fn client_for_tests(&self) -> &Arc<zorb_invocation::client::ClientCore> {
        &self.inner.client
    }

    /// Registers the valuetype `T` (`register_value_factory`), so that values of it can be received as one of its
    /// bases, an abstract type or interface, or `ValueBase`. Receiving a parameter of type `T` itself needs no
    /// registration.
    #[doc(alias = "register_value_factory")]
    pub fn register_value<T: zorb_invocation::value::ValueType>(&self) {
        self.inner.client.values().register::<T>();
    }

    /// Reverts [`register_value`](Self::register_value); `false` if `T` was not registered.
    #[doc(alias = "unregister_value_factory")]
    pub fn unregister_value<T: zorb_invocation::value::ValueType>(&self) -> bool {
        self.inner.client.values().unregister::<T>()
    }

    /// Registers a valuetype by its TypeCode alone, so that anys can contain values of it if the TypeCode of the
    /// any is that of a base or an abstract type. Returns `false` if `type_code` is not that of a valuetype with
    /// state.
    pub fn describe_value(&self, type_code: &zorb_types::TypeCode) -> bool {
        self.inner.client.values().describe(type_code)
    }

    /// Sets what knows the servers of objects that this ORB does not serve: the ORB forwards requests for these objects to
    /// their servers. Returns `false` if there is one already.
    pub fn set_forwarder(&self, forwarder: Arc<dyn Forwarder>) -> bool {
        self.inner.adapters.set_forwarder(forwarder)
    }

    /// A queue for requests that a [forwarder](Self::set_forwarder) makes wait.
    pub fn new_held_requests(&self) -> HeldRequests {
        HeldRequests::new(&self.inner.core)
    }

    /// Publishes an object under a plain key, for `corbaloc::host:port/key`.
    ///
    /// The ORB forwards clients that use the key to the object's own reference, which contains its GIOP version
    /// and code sets.
    ///
    /// # Errors
    /// The key is empty, taken, or has the form of the ORB's own keys; `BAD_INV_ORDER` (OMG 4) after a shutdown.
    pub fn publish<T: Interface>(&self, key: &str, reference: &T) -> Result<(), Error> {
        self.inner.core.check_running()?;
        self.inner.publish(key, reference.as_object())
    }

    /// Removes a published object; returns `false` if there was none with that key.
    pub fn unpublish(&self, key: &str) -> bool {
        self.inner.adapters.unpublish(key.as_bytes())
    }
}

impl fmt::Debug for Orb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Orb").field("endpoints", &self.endpoints()).finish_non_exhaustive()
    }
}
