//! Initial references to local objects, which are Rust values without an address.

use std::any::{Any, type_name};
use std::sync::Arc;

use zorb_base::error::{Error, Phase};

use super::handle::Orb;
use super::inner::{CreateLocal, OWN_LOCALS, OrbInner};
use super::invalid_name;

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
    /// | `PICurrent` | [`PiCurrent`](crate::PiCurrent) |
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
    /// The name is unknown ([`InvalidName`](crate::InvalidName)), or the object is not a `T`; `BAD_INV_ORDER` (OMG 4) after a shutdown.
    #[doc(alias = "resolve_initial_references")]
    pub fn initial_local<T: Any>(&self, name: &str) -> Result<T, Error> {
        self.inner.core.check_running()?;
        let own: Box<dyn Any> = match name {
            "RootPOA" => Box::new(self.root_poa()),
            "POACurrent" => Box::new(self.poa_current()),
            "POAManagerFactory" => Box::new(self.inner.adapters.managers().clone()),
            "ORBPolicyManager" => Box::new(self.policy_manager()),
            "PolicyCurrent" => Box::new(self.policy_current()),
            "PICurrent" => Box::new(self.pi_current()),
            _ => self.registered_local(name)?,
        };
        own.downcast().map(|local| *local).map_err(|_| wrong_type::<T>(name))
    }

    fn registered_local(&self, name: &str) -> Result<Box<dyn Any>, Error> {
        let locals = self.inner.locals.lock();
        let Some((_, create)) = locals.iter().find(|(known, _)| known == name) else {
            let hint = "attach the real-time side first for RTORB and RTCurrent";
            return Err(invalid_name::unknown(name).with_hint(hint));
        };
        let create = Arc::clone(create);
        drop(locals);
        Ok(create(&self.inner))
    }

    /// Registers the local object of an initial reference, and replaces one that was registered before. `factory`
    /// creates it for each caller. It must not contain an [`Orb`], which would be a reference cycle.
    ///
    /// # Errors
    /// [`InvalidName`](crate::InvalidName): the name is empty, one of the ORB's own, or that of an object with an address.
    pub fn register_initial_local<T: Any>(
        &self,
        name: &str,
        factory: impl Fn(&Self) -> T + Send + Sync + 'static,
    ) -> Result<(), Error> {
        let create = move |orb: &Arc<OrbInner>| -> Box<dyn Any> {
            Box::new(factory(&Self::from_inner(Arc::clone(orb))))
        };
        self.register_local(name, Arc::new(create))
    }

    fn register_local(&self, name: &str, create: Arc<CreateLocal>) -> Result<(), Error> {
        let has_address = self.inner.initial.lock().contains_key(name);
        if name.is_empty() || OWN_LOCALS.contains(&name) || has_address {
            return Err(invalid_name::not_available(name));
        }
        let mut locals = self.inner.locals.lock();
        locals.retain(|(known, _)| known != name);
        locals.push((name.to_owned(), create));
        Ok(())
    }

    /// The names of all initial references including local objects, in alphabetical order
    /// (`list_initial_services`). It does not contain those that are found only through `DefaultInitRef`.
    #[doc(alias = "list_initial_services")]
    pub fn initial_names(&self) -> Vec<String> {
        let mut names: Vec<String> = OWN_LOCALS.map(str::to_owned).into();
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
