//! Initial references to local objects, which are Rust values and have no address.

use std::any::{Any, type_name};
use std::sync::Arc;

use zorb_base::error::{Error, Phase};

use super::handle::Orb;
use super::inner::OWN_LOCALS;

/// Makes a local object for whoever asks. It is given the ORB, so that it need not hold it.
struct Maker<T>(Arc<dyn Fn(&Orb) -> T + Send + Sync>);

impl Orb {
    /// The local object of the initial reference `name` (`resolve_initial_references` of an interface
    /// that is `local`). The core has these; crates above it add theirs:
    ///
    /// | Name | Type |
    /// |---|---|
    /// | `RootPOA` | [`Poa`](crate::poa::Poa) |
    /// | `ORBPolicyManager` | [`PolicyManager`](crate::PolicyManager) |
    /// | `PolicyCurrent` | [`PolicyCurrent`](crate::PolicyCurrent) |
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
    /// When there is none of that name (`ORB::InvalidName`), or it is no `T`.
    #[doc(alias = "resolve_initial_references")]
    pub fn initial_local<T: Any>(&self, name: &str) -> Result<T, Error> {
        let own: Box<dyn Any> = match name {
            "RootPOA" => Box::new(self.root_poa()),
            "ORBPolicyManager" => Box::new(self.policy_manager()),
            "PolicyCurrent" => Box::new(self.policy_current()),
            _ => return self.registered_local(name),
        };
        own.downcast().map(|local| *local).map_err(|_| no_such_type::<T>(name))
    }

    fn registered_local<T: Any>(&self, name: &str) -> Result<T, Error> {
        let make = {
            let locals = self.inner.locals.lock();
            let Some((_, maker)) = locals.iter().find(|(known, _)| known == name) else {
                let what = format!("no local object is the initial reference {name:?}");
                return Err(Error::new(Phase::Resolve, what)
                    .with_hint("RTORB and its kin are there once a program has attached them"));
            };
            let maker = maker.downcast_ref::<Maker<T>>().ok_or_else(|| no_such_type::<T>(name))?;
            Arc::clone(&maker.0)
        };
        Ok(make(self))
    }

    /// Sets the local object of an initial reference, in place of one that was set before; `make` makes
    /// it for everybody who asks. It must not hold the ORB, which it is given.
    ///
    /// # Errors
    /// When the name is empty, one of the core's own, or that of an object with an address.
    pub fn register_initial_local<T: Any>(
        &self,
        name: &str,
        make: impl Fn(&Self) -> T + Send + Sync + 'static,
    ) -> Result<(), Error> {
        let initial = self.inner.initial.lock();
        if name.is_empty() || OWN_LOCALS.contains(&name) || initial.contains_key(name) {
            return Err(Error::new(
                Phase::Application,
                format!("initial reference {name:?}: the name is empty or taken"),
            ));
        }
        drop(initial);
        let mut locals = self.inner.locals.lock();
        locals.retain(|(known, _)| known != name);
        let maker: Maker<T> = Maker(Arc::new(make));
        locals.push((name.to_owned(), Box::new(maker)));
        Ok(())
    }

    /// The names of all initial references, local objects among them, in alphabetical order
    /// (`list_initial_services`). Those that `DefaultInitRef` leads to are not known before they are
    /// asked for.
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

fn no_such_type<T>(name: &str) -> Error {
    let what = format!("the initial reference {name:?} is no {}", type_name::<T>());
    Error::new(Phase::Resolve, what)
}
