//! The ORB as programs hold it.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Weak};

use zorb_base::error::Error;
use zorb_base::options::Options;
use zorb_base::orb_core::OrbCore;
use zorb_giop::Ior;
use zorb_invocation::interface::Interface;
use zorb_invocation::object::ObjectRef;
use zorb_poa::{Access, AdapterCache, HoldLimits, ManagerState, PoaManager};
use zorb_transport::ProtocolRegistry;
use zorb_types::Typed;

use super::inner::OrbInner;
use super::poa::Poa;
use super::policy_current::PolicyCurrent;
use super::policy_manager::PolicyManager;
use super::resolve;

/// An object request broker. Clones are the same ORB.
///
/// A client needs `Orb::builder().build()` and [`resolve`](Self::resolve); a server also says where
/// to listen, activates servants and calls [`run`](Self::run). The facade's `zorb::Orb` is this
/// type with the protocols of the build registered.
#[derive(Clone)]
pub struct Orb {
    pub(super) inner: Arc<OrbInner>,
}

/// A weak reference to an ORB, which avoids reference cycles.
#[derive(Clone)]
pub struct WeakOrb(Weak<OrbInner>);

impl WeakOrb {
    /// The ORB, unless it has been dropped.
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
    /// A handle that does not keep the ORB alive.
    pub fn downgrade(&self) -> WeakOrb {
        WeakOrb(Arc::downgrade(&self.inner))
    }

    /// A reference to the object that `ior` identifies.
    pub fn object(&self, ior: Ior) -> ObjectRef {
        ObjectRef::new(&self.inner.client, ior)
    }

    pub(super) fn from_inner(inner: Arc<OrbInner>) -> Self {
        Self { inner }
    }

    pub(super) fn core(&self) -> &OrbCore {
        &self.inner.core
    }

    /// The effective options.
    pub fn options(&self) -> &Options {
        self.inner.core.options()
    }

    /// The protocols that it speaks. More may be registered at any time; references that were looked at
    /// before do not change their ways for it.
    pub fn protocols(&self) -> &Arc<ProtocolRegistry> {
        self.inner.core.protocols()
    }

    /// The root object adapter, which is made when it is first asked for and begins with the policies of
    /// servers that the ORB's policy manager has then. Its manager is active from the start.
    #[doc(alias = "RootPOA")]
    pub fn root_poa(&self) -> Poa {
        Poa::root(&self.inner)
    }

    /// The policies of this ORB (the initial reference `ORBPolicyManager`).
    pub fn policy_manager(&self) -> PolicyManager {
        PolicyManager::new(&self.inner)
    }

    /// The policies of the calling thread for this ORB (the initial reference `PolicyCurrent`).
    pub fn policy_current(&self) -> PolicyCurrent {
        PolicyCurrent::new(&self.inner.client)
    }

    /// A new POA manager, in the holding state.
    pub fn create_poa_manager(&self) -> PoaManager {
        PoaManager::new(ManagerState::Holding, HoldLimits::of(self.options()))
    }

    /// The endpoints this ORB listens on, as they stand in its references: `iiop://host:port`.
    pub fn endpoints(&self) -> Vec<String> {
        self.inner.server.published_endpoints().iter().map(ToString::to_string).collect()
    }

    /// Finds the address of the servant that requests with an object key reach, by the code that the
    /// requests of one connection go through; `zorb bench demux` measures it.
    #[doc(hidden)]
    pub fn servant_finder(&self) -> impl FnMut(&[u8]) -> Option<usize> + use<> {
        let adapters = Arc::clone(&self.inner.adapters);
        let mut known = AdapterCache::default();
        move |object_key| match adapters.admit_key(object_key, Some(&mut known), Access::LOCAL) {
            Ok(found) => found.object().map(|object| object.skeleton.identity()),
            _ => None,
        }
    }

    /// Turns a URL or stringified reference into a typed reference (`string_to_object`, `_narrow`).
    ///
    /// Understood are `IOR:`, `corbaloc:`, `corbaname:` and `file:`. The object is asked for its
    /// type unless the reference itself says that it is a `T`.
    ///
    /// # Errors
    /// What is wrong with the text (`BAD_PARAM`, OMG 7 to 10) or with the way to the object;
    /// `BAD_PARAM` (wrong interface) when the object is no `T`, or nil.
    pub fn resolve<T: Interface>(&self, url: &str) -> Result<T, Error> {
        resolve::resolve_typed(&self.inner, url)
    }

    /// Turns a URL or stringified reference into a reference, asking nobody; `None` for nil.
    ///
    /// # Errors
    /// What is wrong with the text; for `corbaname:` also with the call to the naming service.
    pub fn string_to_object(&self, url: &str) -> Result<Option<ObjectRef>, Error> {
        resolve::string_to_object(&self.inner, url, 0)
    }

    /// The initial reference `name`, such as `"NameService"` (`resolve_initial_references`).
    ///
    /// It is looked for, in this order, among those set with
    /// [`register_initial_reference`](Self::register_initial_reference), the option `InitRef`, and
    /// the option `DefaultInitRef`.
    ///
    /// # Errors
    /// When nothing names it (`ORB::InvalidName`), or its URL does not resolve.
    #[doc(alias = "resolve_initial_references")]
    pub fn initial_reference<T: Interface>(&self, name: &str) -> Result<T, Error> {
        resolve::typed_initial_reference(&self.inner, name)
    }

    /// Sets an initial reference of this process (`register_initial_reference`).
    ///
    /// # Errors
    /// When the name is empty or taken.
    pub fn register_initial_reference<T: Interface>(
        &self,
        name: &str,
        reference: &T,
    ) -> Result<(), Error> {
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
    pub fn attach<T: Any + Clone + Send + Sync>(&self, part: T) {
        let mut attached = self.inner.attached.lock();
        attached.retain(|kept| !kept.is::<T>());
        attached.push(Box::new(part));
    }

    /// The [attached](Self::attach) value of this type.
    pub fn attached<T: Any + Clone + Send + Sync>(&self) -> Option<T> {
        let attached = self.inner.attached.lock();
        attached.iter().find_map(|kept| kept.downcast_ref::<T>()).cloned()
    }

    #[cfg(test)]
    pub(crate) fn client_for_tests(&self) -> &Arc<zorb_invocation::client::ClientCore> {
        &self.inner.client
    }

    /// Lets values of the valuetype `T` arrive where one of its bases, an abstract type or
    /// interface, or `ValueBase` is expected (`register_value_factory`). Where a `T` itself is
    /// expected, none is needed.
    #[doc(alias = "register_value_factory")]
    pub fn register_value<T: zorb_invocation::value::ValueType>(&self) {
        self.inner.client.values().register::<T>();
    }

    /// Reverts [`register_value`](Self::register_value); `false` if `T` was not registered.
    #[doc(alias = "unregister_value_factory")]
    pub fn unregister_value<T: zorb_invocation::value::ValueType>(&self) -> bool {
        self.inner.client.values().unregister::<T>()
    }

    /// Lets anys whose TypeCode is that of a base or an abstract type hold values of a valuetype that is
    /// known only by its TypeCode. `false` if `type_code` is not that of a valuetype with state.
    pub fn describe_value(&self, type_code: &zorb_types::TypeCode) -> bool {
        self.inner.client.values().describe(type_code)
    }

    /// Publishes an object under a plain key, so that `corbaloc::host:port/key` finds it.
    ///
    /// Clients that ask for the key are forwarded to the object's own reference, and so come to
    /// know its GIOP version and code sets.
    ///
    /// # Errors
    /// When the key is empty or taken.
    pub fn publish<T: Interface>(&self, key: &str, reference: &T) -> Result<(), Error> {
        self.inner.publish(key, reference.as_object())
    }

    /// Takes a published object back; `false` when there was none under that key.
    pub fn unpublish(&self, key: &str) -> bool {
        self.inner.adapters.unpublish(key.as_bytes())
    }

    /// Serves requests until [`shutdown`](Self::shutdown) is called. Requests are served by the
    /// ORB's threads from the moment it listens; this only keeps the calling thread.
    ///
    /// # Errors
    /// None at present.
    pub fn run(&self) -> Result<(), Error> {
        self.inner.wait_for_shutdown();
        Ok(())
    }

    /// Ends the ORB: no request is accepted any more, running ones finish and are answered, peers
    /// get CloseConnection, and with `wait` the call returns when the last thread has ended.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (OMG 3) with `wait` from inside an upcall, which would wait for itself.
    pub fn shutdown(&self, wait: bool) -> Result<(), Error> {
        self.inner.shutdown(wait).map_err(Error::from)
    }
}

impl fmt::Debug for Orb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Orb").field("endpoints", &self.endpoints()).finish_non_exhaustive()
    }
}
