//! How other crates extend an ORB: interceptors, network priorities, configured policies.

use std::sync::Arc;

use zorb_base::error::Error;
use zorb_base::extensions::ThreadPriorities;
use zorb_base::interceptor::{ClientRequestInterceptor, ServerRequestInterceptor};
use zorb_base::policy::{NetworkPriorities, Policies};

use super::handle::Orb;
use super::inner::OrbInner;

impl Orb {
    /// Adds interceptors of this ORB's requests (`add_client_request_interceptor`). `factory` is called
    /// when a reference is first called, with the policies that the server has put into it and that
    /// are [registered](crate::PolicyManager::register_policy); it returns the interceptor of the
    /// reference's requests, or `None`. A factory of the same name is replaced. References that have been
    /// called already do not change.
    pub fn add_client_request_interceptor(
        &self,
        name: &str,
        factory: impl Fn(&Policies) -> Option<Arc<dyn ClientRequestInterceptor>> + Send + Sync + 'static,
    ) {
        let factory = Arc::new(factory);
        self.core().extend(|known| known.interceptors.client.add(name, Arc::clone(&factory) as _));
    }

    /// Adds interceptors of the requests to this ORB's objects (`add_server_request_interceptor`).
    /// `factory` is called when an object adapter is created, and when an object with policies of its own
    /// is activated, with these policies; it returns the interceptor of the requests, or `None`. A factory
    /// of the same name is replaced. Existing adapters do not change.
    pub fn add_server_request_interceptor(
        &self,
        name: &str,
        factory: impl Fn(&Policies) -> Option<Arc<dyn ServerRequestInterceptor>> + Send + Sync + 'static,
    ) {
        let factory = Arc::new(factory);
        self.core().extend(|known| known.interceptors.server.add(name, Arc::clone(&factory) as _));
    }

    /// Sets the network classes of connections that serve one priority. References that have been called
    /// already, and open endpoints, do not change.
    #[doc(hidden)]
    pub fn set_network_priorities(&self, priorities: &NetworkPriorities) {
        self.core().extend(|known| known.network = Some(priorities.clone()));
    }

    /// Sets the policies of object adapters by path: the names from below the root, joined by `/`; the
    /// root adapter's path is `/`. They apply to adapters created from now on, below the policies that the
    /// program sets and above those of the ORB. An adapter whose policies fail is not created; the root
    /// adapter is created without them.
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

    /// Sets how threads outside the lanes of pools get the priority of the band whose connection they
    /// serve: `set` is called on such a thread with the band's highest priority, at most `max`.
    #[doc(hidden)]
    pub fn set_thread_priorities(&self, max: i16, set: impl Fn(i16) + Send + Sync + 'static) {
        let set: Arc<dyn Fn(i16) + Send + Sync> = Arc::new(set);
        self.core().extend(|known| {
            known.thread_priorities = Some(ThreadPriorities::new(max, Arc::clone(&set) as _));
        });
    }
}
