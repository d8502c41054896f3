//! The interceptors of an ORB.

use std::fmt;
use std::sync::Arc;

use super::{ClientRequestInterceptor, ServerRequestInterceptor};
use crate::policy::Policies;

type Factory<I> = Arc<dyn Fn(&Policies) -> Option<Arc<I>> + Send + Sync>;

/// The factories of interceptors, by name, in the order in which they were added.
pub struct Factories<I: ?Sized>(Vec<(String, Factory<I>)>);

/// The interceptor factories of an ORB.
#[derive(Clone, Debug, Default)]
pub struct Interceptors {
    pub client: Factories<dyn ClientRequestInterceptor>,
    pub server: Factories<dyn ServerRequestInterceptor>,
}

impl<I: ?Sized> Factories<I> {
    /// Adds a factory, or replaces the one of the same name.
    pub fn add(&mut self, name: &str, factory: Factory<I>) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = factory,
            None => self.0.push((name.to_owned(), factory)),
        }
    }

    /// The interceptors of requests to which `policies` apply.
    pub fn of(&self, policies: &Policies) -> Vec<Arc<I>> {
        self.0.iter().filter_map(|(_, factory)| factory(policies)).collect()
    }
}

impl<I: ?Sized> Clone for Factories<I> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<I: ?Sized> Default for Factories<I> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<I: ?Sized> fmt::Debug for Factories<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}
