//! A naming service, for programs that embed it.

use std::fmt;
use std::sync::Arc;

use zorb::Orb;
use zorb::poa::AnyServant;
use zorb_store::{Store, StoreError};

use super::clock::Clock;
use super::context_id::ContextId;
use super::contexts::Contexts;
use super::names::Names;
use super::options::NamingOptions;
use super::own::KEY;
use super::tables;
use super::tree::Tree;
use crate::cos_naming::NamingContextExt;
use crate::naming_extensions::ExtendedContext;

/// A naming service: `CosNaming::NamingContextExt` whole (OMG Naming Service 1.3).
///
/// ```
/// use zorb::Orb;
/// use zorb_naming::name;
/// use zorb_naming::server::{NamingOptions, NamingService};
///
/// let orb = Orb::builder().listen("iiop://127.0.0.1:0").build()?;
/// let names = NamingService::serve(&orb, &NamingOptions::default())?;
/// let root = names.publish(&orb)?;
/// root.bind_new_context(&name("plant.area")?)?;
/// assert_eq!(names.statistics().contexts, 2);
/// # orb.shutdown(true)?;
/// # Ok::<(), zorb::Error>(())
/// ```
///
/// It listens where the ORB does, and ends with it. Contexts have persistent references: with the same endpoints and the
/// same store, they are valid in the next run.
#[derive(Clone)]
pub struct NamingService(Arc<Contexts>);

/// Numbers of a naming service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// The contexts, including the root.
    pub contexts: usize,
    /// The bindings of all contexts.
    pub bindings: usize,
    /// The bindings with leases.
    pub leases: usize,
    /// The binding iterators.
    pub iterators: usize,
    /// The approximate memory of contexts and bindings, in octets.
    pub octets: usize,
    /// The limit of this memory, in octets.
    pub octets_limit: usize,
    /// The changes of names since the service has begun. As long as it stays the same, so do the names.
    pub changes: u64,
}

impl NamingService {
    /// Serves names in memory: they end with the service.
    ///
    /// # Errors
    /// `INITIALIZE` if no endpoint can be opened; the ORB has a naming service already.
    pub fn serve(orb: &Orb, options: &NamingOptions) -> Result<Self, zorb::Error> {
        Self::serve_names(orb, options, Names::new(options.clone()), Clock::new())
    }

    /// Serves the names of a store. Each change is committed before its reply.
    ///
    /// # Errors
    /// Those of [`serve`](Self::serve); the store fails, or its contents are damaged or of a newer version.
    pub fn serve_stored(
        orb: &Orb,
        options: &NamingOptions,
        store: Arc<dyn Store>,
    ) -> Result<Self, zorb::Error> {
        let clock = Clock::new();
        let names = Names::load(options.clone(), store, clock.now()).map_err(not_loaded)?;
        // Names whose leases have ended since are not served. What cannot be stored is tried again by the thread.
        while let Ok(true) = names.end_leases(clock.now()) {}
        Self::serve_names(orb, options, names, clock)
    }

    /// Reads the names of a store as [`serve_stored`](Self::serve_stored) does. Returns how many bindings there are.
    ///
    /// # Errors
    /// The store fails, or its contents are damaged or of a newer version.
    pub fn check_store(store: &dyn Store) -> Result<usize, StoreError> {
        let mut tree = Tree::new(NamingOptions::default());
        tables::load(store, &mut tree, u64::MAX)?;
        Ok(tree.bindings())
    }

    fn serve_names(
        orb: &Orb,
        options: &NamingOptions,
        names: Names,
        clock: Clock,
    ) -> Result<Self, zorb::Error> {
        let contexts = Arc::new(Contexts::new(orb, Arc::new(names), options, clock)?);
        contexts.end_leases()?;
        let servant = AnyServant::of::<ExtendedContext, _>(Arc::clone(&contexts));
        contexts.poa()?.set_servant(servant)?;
        Ok(Self(contexts))
    }

    /// The root context.
    ///
    /// # Errors
    /// `INITIALIZE` if no endpoint can be opened.
    pub fn root(&self) -> Result<NamingContextExt, zorb::Error> {
        Ok(self.0.reference(ContextId::ROOT)?)
    }

    /// Publishes the root context under the key [`KEY`] and makes it the ORB's initial reference of that name. Returns
    /// it.
    ///
    /// # Errors
    /// Those of `Orb::publish` and `Orb::register_initial_reference`.
    pub fn publish(&self, orb: &Orb) -> Result<NamingContextExt, zorb::Error> {
        let root = self.root()?;
        orb.publish(KEY, &root)?;
        orb.register_initial_reference(KEY, &root)?;
        Ok(root)
    }

    /// Makes all operations that change something ask `check` first, and raise its exception; the first check counts. Those
    /// that only read do not ask.
    pub fn set_write_check(&self, check: impl Fn() -> zorb::Result<()> + Send + Sync + 'static) {
        self.0.set_write_check(Box::new(check));
    }

    pub(super) fn contexts(&self) -> &Contexts {
        &self.0
    }

    /// Numbers of the service.
    pub fn statistics(&self) -> Statistics {
        let iterators = self.0.iterators.len();
        let tree = self.0.names.read();
        Statistics {
            contexts: tree.contexts(),
            bindings: tree.bindings(),
            leases: tree.leases().len(),
            octets: tree.octets(),
            octets_limit: tree.octets_limit(),
            changes: tree.changes(),
            iterators,
        }
    }
}

#[cold]
fn not_loaded(error: StoreError) -> zorb::Error {
    let hint = error.hint().map(str::to_owned);
    let error = zorb::Error::new(zorb::Phase::Application, "cannot read the stored names")
        .with_source(error);
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

impl fmt::Debug for NamingService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NamingService").field(&self.statistics()).finish()
    }
}
