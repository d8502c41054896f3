//! Extends an ORB: interceptors, network priorities, configured policies.

use std::sync::Arc;

use zorb_base::compression::Compression;
use zorb_base::error::Error;
use zorb_base::extensions::ThreadPriorities;
use zorb_base::interceptor::{ClientRequestInterceptor, ServerRequestInterceptor};
use zorb_base::policy::{NetworkPriorities, Policies};

use super::handle::Orb;
use super::inner::OrbInner;

impl Orb {
    /// Adds interceptors of this ORB's requests (`add_client_request_interceptor`). The ORB calls `factory` when a
    /// reference is first called, with those policies in the reference that are
    /// [registered](crate::PolicyManager::register_policy). The factory returns the interceptor of the reference's
    /// requests, or `None`. It replaces a factory of the same name. References that have been called already do
    /// not change.
    pub fn add_client_request_interceptor(
        &self,
        name: &str,
        factory: impl Fn(&Policies) -> Option<Arc<dyn ClientRequestInterceptor>> + Send + Sync + 'static,
    ) {
        let factory = Arc::new(factory);
        self.core().extend(|known| known.interceptors.client.add(name, Arc::clone(&factory) as _));
    }

    /// Adds interceptors of the requests to this ORB's objects (`add_server_request_interceptor`). The ORB calls
    /// `factory` when an object adapter is created, and when an object with policies of its own is activated,
    /// with these policies. The factory returns the interceptor of the requests, or `None`. It replaces a factory
    /// of the same name. Existing adapters do not change.
    pub fn add_server_request_interceptor(
        &self,
        name: &str,
        factory: impl Fn(&Policies) -> Option<Arc<dyn ServerRequestInterceptor>> + Send + Sync + 'static,
    ) {
        let factory = Arc::new(factory);
        self.core().extend(|known| known.interceptors.server.add(name, Arc::clone(&factory) as _));
    }

    /// Calls `ending` at the end of the shutdown, before those who wait for it continue. An ORB that is dropped without
    /// a shutdown drops it.
    #[doc(hidden)]
    pub fn at_end(&self, ending: impl FnOnce() + Send + 'static) {
        self.inner.endings.lock().push(Box::new(ending));
    }

    /// Sets the network classes of connections that serve one priority. References that have been called already
    /// and open endpoints do not change.
    #[doc(hidden)]
    pub fn set_network_priorities(&self, priorities: &NetworkPriorities) {
        self.core().extend(|known| known.network = Some(priorities.clone()));
    }

    /// Sets what compresses messages. References that have been called already and accepted connections do not change.
    #[doc(hidden)]
    pub fn set_compression(&self, compression: &Arc<dyn Compression>) {
        self.core().extend(|known| known.compression = Some(Arc::clone(compression)));
    }

    /// Sets the configured policies of object adapters by path: the names from below the root, joined by `/`; the
    /// root adapter's path is `/`. They apply to adapters that are created later. The program's policies for an
    /// adapter take precedence over them, and they take precedence over the ORB's. If they are an error, the
    /// adapter is not created; the root adapter is created without them.
    #[doc(hidden)]
    pub fn set_adapter_policies(
        &self,
        policies: impl Fn(&Self, &str) -> Result<Policies, Error> + Send + Sync + 'static,
    ) {
        let policies = move |orb: &Arc<OrbInner>, path: &str| {
            policies(&Self::from_inner(Arc::clone(orb)), path)
        };
        *self.inner.adapter_policies.lock() = Some(Arc::new(policies));
    }

    /// Sets the function that gives threads outside the lanes of pools the priority of the band whose connection
    /// they serve. The ORB calls `set` on such a thread with the band's highest priority, at most `max`.
    #[doc(hidden)]
    pub fn set_thread_priorities(&self, max: i16, set: impl Fn(i16) + Send + Sync + 'static) {
        let set: Arc<dyn Fn(i16) + Send + Sync> = Arc::new(set);
        self.core().extend(|known| {
            known.thread_priorities = Some(ThreadPriorities::new(max, Arc::clone(&set) as _));
        });
    }
}
