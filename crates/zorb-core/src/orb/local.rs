//! Initial references to local objects, which are Rust values without an address.

use std::any::{Any, type_name};
use std::sync::Arc;

use zorb_base::error::{Error, Phase};

use super::handle::Orb;
use super::inner::{OWN_LOCALS, ProvidedLocal};

/// Creates a local object of an ORB. The ORB is a parameter, so that the factory need not contain it.
struct Factory<T>(Arc<dyn Fn(&Orb) -> T + Send + Sync>);

impl Orb {
    /// The local object of the initial reference `name` (`resolve_initial_references` for a `local` interface).
    /// Other crates [register](Self::register_initial_local) further ones:
    ///
    /// | Name | Type |
    /// |---|---|
    /// | `RootPOA` | [`Poa`](crate::poa::Poa) |
    /// | `POACurrent` | [`PoaCurrent`](crate::poa::PoaCurrent) |
    /// | `POAManagerFactory` | [`PoaManagerFactory`](crate::poa::PoaManagerFactory) |
    /// | `ORBPolicyManager` | [`PolicyManager`](crate::PolicyManager) |
    /// | `PolicyCurrent` | [`PolicyCurrent`](crate::PolicyCurrent) |
    /// | `CodecFactory` | `zorb::dynamic::CodecFactory`, with the facade's ORB |
    /// | `DynAnyFactory` | `zorb::dynamic::DynAnyFactory`, with the facade's ORB |
    ///
    /// ```
    /// use zorb_core::Orb;
    /// use zorb_core::PolicyManager;
    ///
    /// let orb = Orb::builder().without_environment().build()?;
    /// let policies: PolicyManager = orb.initial_local("ORBPolicyManager")?;
    /// assert!(policies.policy_overrides().is_empty());
    /// # Ok::<(), zorb_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// The name is unknown (`ORB::InvalidName`), or the object is not a `T`; `BAD_INV_ORDER` (OMG 4) after a shutdown.
    #[doc(alias = "resolve_initial_references")]
    pub fn initial_local<T: Any>(&self, name: &str) -> Result<T, Error> {
        self.inner.core.check_running()?;
        let own: Box<dyn Any> = match name {
            "RootPOA" => Box::new(self.root_poa()),
            "POACurrent" => Box::new(self.poa_current()),
            "POAManagerFactory" => Box::new(self.inner.adapters.managers().clone()),
            "ORBPolicyManager" => Box::new(self.policy_manager()),
            "PolicyCurrent" => Box::new(self.policy_current()),
            _ => match self.inner.provided_local(name) {
                Some((_, create)) => create(),
                None => return self.registered_local(name),
            },
        };
        own.downcast().map(|local| *local).map_err(|_| wrong_type::<T>(name))
    }

    fn registered_local<T: Any>(&self, name: &str) -> Result<T, Error> {
        let factory = {
            let locals = self.inner.locals.lock();
            let Some((_, factory)) = locals.iter().find(|(known, _)| known == name) else {
                let what = format!("initial reference {name:?} is not a known local object");
                return Err(Error::new(Phase::Resolve, what)
                    .with_hint("attach the real-time side first for RTORB and RTCurrent"));
            };
            let factory = factory.downcast_ref::<Factory<T>>();
            Arc::clone(&factory.ok_or_else(|| wrong_type::<T>(name))?.0)
        };
        Ok(factory(self))
    }

    /// Sets the local objects without state that every ORB of the build has, with what creates them. Only the first call
    /// has an effect.
    #[doc(hidden)]
    pub fn provide_locals(&self, locals: &'static [ProvidedLocal]) {
        let _ = self.inner.provided.set(locals);
    }

    /// Registers the local object of an initial reference, and replaces one that was registered before. `factory`
    /// creates it for each caller. It must not contain an [`Orb`], which would be a reference cycle.
    ///
    /// # Errors
    /// The name is empty, one of the ORB's own, or that of an object with an address.
    pub fn register_initial_local<T: Any>(
        &self,
        name: &str,
        factory: impl Fn(&Self) -> T + Send + Sync + 'static,
    ) -> Result<(), Error> {
        let initial = self.inner.initial.lock();
        if name.is_empty() || self.inner.has_own_local(name) || initial.contains_key(name) {
            return Err(Error::new(
                Phase::Application,
                format!("initial reference {name:?}: the name is empty or taken"),
            ));
        }
        drop(initial);
        let mut locals = self.inner.locals.lock();
        locals.retain(|(known, _)| known != name);
        let factory: Factory<T> = Factory(Arc::new(factory));
        locals.push((name.to_owned(), Box::new(factory)));
        Ok(())
    }

    /// The names of all initial references including local objects, in alphabetical order
    /// (`list_initial_services`). It does not contain those that are found only through `DefaultInitRef`.
    #[doc(alias = "list_initial_services")]
    pub fn initial_names(&self) -> Vec<String> {
        let mut names: Vec<String> = OWN_LOCALS.map(str::to_owned).into();
        let provided = self.inner.provided.get().copied().unwrap_or_default();
        names.extend(provided.iter().map(|(name, _)| (*name).to_owned()));
        let locals = self.inner.locals.lock();
        names.extend(locals.iter().map(|(name, _)| name.clone()));
        drop(locals);
        let initial = self.inner.initial.lock();
        names.extend(initial.keys().cloned());
        drop(initial);
        names.extend(self.options().init_ref.iter().map(|(name, _)| name.clone()));
        names.sort();
        names.dedup();
        names
    }
}

fn wrong_type<T>(name: &str) -> Error {
    let what = format!("initial reference {name:?} is not of type {}", type_name::<T>());
    Error::new(Phase::Resolve, what)
}
