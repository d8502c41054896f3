//! The servant of all contexts: what each operation does with the [names](super::names), here and in other servers.

mod operations;
mod requests;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use zorb::giop::Ior;
use zorb::poa::{ObjectId, Poa, PoaPolicies};
use zorb::{
    CompletionStatus, Interface as _, MinorCode, ObjectRef, Orb, SystemException, WeakOrb, minor,
};

use self::operations::{BIND, BIND_CONTEXT, REBIND, REBIND_CONTEXT};
use super::clock::Clock;
use super::context_id::ContextId;
use super::federation::Federation;
use super::iterators::Iterators;
use super::lease_thread::LeaseThread;
use super::names::{Names, NotMade};
use super::options::NamingOptions;
use super::own::names_root;
use super::path::Path;
use super::raise::{Raised, full, no_context, raised, system};
use super::stored::{self, StoredReference};
use super::tree::{Bound, Operation, Refusal};
use crate::cos_naming::naming_context::{DestroyError, NotEmpty};
use crate::cos_naming::{Name, NamingContext, NamingContextExt};

/// The default servant of the adapter of contexts.
pub(crate) struct Contexts {
    pub(crate) names: Arc<Names>,
    pub(crate) iterators: Arc<Iterators>,
    // The ORB owns the adapter, and the adapter this servant: it must not own them.
    orb: WeakOrb,
    federation: Federation,
    longest_reference: usize,
    pub(super) longest_lease: Duration,
    pub(super) leases: LeaseThread,
    listed: usize,
    write_check: OnceLock<Box<WriteCheck>>,
}

/// Refuses an operation that changes something.
type WriteCheck = dyn Fn() -> Result<(), SystemException> + Send + Sync;

/// The name of the adapter of contexts.
const ADAPTER: &str = "NamingContexts";

/// What a name resolves to.
enum Resolved {
    /// The stored reference.
    Stored,
    Reference(Option<ObjectRef>),
}

impl Contexts {
    /// Creates the adapters of contexts and iterators, without servants.
    pub(crate) fn new(
        orb: &Orb,
        names: Arc<Names>,
        options: &NamingOptions,
        clock: Clock,
    ) -> Result<Self, zorb::poa::PoaError> {
        let policies = PoaPolicies::new()
            .persistent()
            .user_ids()
            .multiple_ids()
            .non_retain()
            .default_servant();
        orb.root_poa().create(ADAPTER, policies)?;
        Ok(Self {
            iterators: Iterators::new(orb, Arc::clone(&names), options)?,
            names,
            orb: orb.downgrade(),
            federation: Federation::new(options),
            longest_reference: options.naming_reference_octets,
            longest_lease: options.naming_longest_lease,
            leases: LeaseThread::new(clock),
            listed: options.naming_listed_bindings,
            write_check: OnceLock::new(),
        })
    }

    /// The adapter of contexts.
    pub(crate) fn poa(&self) -> Result<Poa, SystemException> {
        let orb = self.orb.upgrade().ok_or_else(no_context)?;
        Ok(orb.root_poa().find(ADAPTER)?)
    }

    /// The reference to a context.
    pub(crate) fn reference(&self, id: ContextId) -> Result<NamingContextExt, SystemException> {
        Ok(self.poa()?.create_reference_with_id(ObjectId::from(&id.to_octets()[..]))?)
    }

    /// The object of a stored reference.
    pub(super) fn object(&self, octets: &[u8]) -> Result<ObjectRef, SystemException> {
        let broken = || {
            let code = minor::internal::BROKEN_INVARIANT;
            SystemException::internal(code, CompletionStatus::No)
        };
        let orb = self.orb.upgrade().ok_or_else(broken)?;
        Ok(orb.object(stored::decode(octets).ok_or_else(broken)?))
    }

    /// The context of this server that a reference identifies. The profiles of the reference must be the server's own,
    /// or those of the root's `corbaloc:`.
    fn own(&self, ior: &Ior) -> Option<ContextId> {
        if names_root(ior, self.reference(ContextId::ROOT).ok()?.as_object().ior()) {
            return Some(ContextId::ROOT);
        }
        let object = self.orb.upgrade()?.object(ior.clone());
        let id = ContextId::from_octets(self.poa().ok()?.id_of(&object).ok()?.as_bytes())?;
        let own = self.reference(id).ok()?;
        (self.names.read().has(id) && own.as_object().ior().profiles == ior.profiles).then_some(id)
    }

    /// Resolves a name from the context `start` on. Sets `stored` to a stored reference.
    fn resolve(
        &self,
        start: ContextId,
        name: &Path,
        stored: &mut StoredReference,
    ) -> Result<Resolved, Raised> {
        // Without the lock from here on.
        let found = self.names.read().resolve(start, name, stored);
        match found {
            Ok(None) => Ok(Resolved::Stored),
            Ok(Some(id)) => {
                let reference = self.reference(id).map_err(Raised::System)?;
                Ok(Resolved::Reference(Some(reference.into())))
            }
            Err(refusal) => {
                let resolve = |other: &NamingContext, rest: &Name| other.resolve(rest);
                self.elsewhere(refusal, name, true, resolve).map(Resolved::Reference)
            }
        }
    }

    /// Continues in another server if the name leads there.
    #[cold]
    fn elsewhere<T, E: Into<Raised>>(
        &self,
        refusal: Refusal,
        name: &Path,
        is_safe: bool,
        call: impl FnOnce(&NamingContext, &Name) -> Result<T, E>,
    ) -> Result<T, Raised> {
        let Refusal::Elsewhere(context, at) = refusal else { return Err(raised(refusal, name)) };
        let context = self.object(&context).map_err(Raised::System)?;
        self.federation.call(&context, name.name_from(at), is_safe, call)
    }

    /// Changes a binding, here or in another server. Returns what the other server has returned.
    pub(super) fn change<T, E: Into<Raised>>(
        &self,
        start: ContextId,
        name: &Path,
        operation: Operation<'_>,
        call: impl FnOnce(&NamingContext, &Name) -> Result<T, E>,
    ) -> Result<Option<T>, Raised> {
        match self.names.change(|tree| tree.plan(start, name, operation)) {
            Ok(()) => Ok(None),
            Err(NotMade::Refused(refusal)) => self.elsewhere(refusal, name, false, call).map(Some),
            Err(failed) => Err(Raised::System(system(failed))),
        }
    }

    /// `bind`, `rebind`, `bind_context` and `rebind_context`.
    fn bind(
        &self,
        start: ContextId,
        name: &Path,
        ior: &Ior,
        operation: usize,
    ) -> Result<(), Raised> {
        let is_context = matches!(operation, BIND_CONTEXT | REBIND_CONTEXT);
        if is_context && ior.is_nil() {
            let code = minor::bad_param::NIL_NOT_ALLOWED;
            return Err(Raised::System(SystemException::bad_param(code, CompletionStatus::No)));
        }
        let octets = self.encoded(ior)?;
        let bound = match is_context {
            false => Bound::Object(&octets),
            true => self.own(ior).map_or(Bound::Foreign(&octets), Bound::Context),
        };
        let call = |other: &NamingContext, rest: &Name| {
            let object = match ior.is_nil() {
                true => None,
                false => Some(self.object(&octets)?),
            };
            let context = || object.as_ref().map(|object| object.unchecked_narrow());
            match operation {
                BIND => other.bind(rest, object.as_ref()),
                REBIND => Ok(other.rebind(rest, object.as_ref())?),
                BIND_CONTEXT => Ok(other.bind_context(rest, context().as_ref())?),
                _ => Ok(other.rebind_context(rest, context().as_ref())?),
            }
        };
        let change = match operation {
            BIND | BIND_CONTEXT => Operation::Bind(bound),
            _ => Operation::Rebind(bound),
        };
        self.change::<(), Raised>(start, name, change, call).map(drop)
    }

    /// The stored form of a reference.
    pub(super) fn encoded(&self, ior: &Ior) -> Result<Vec<u8>, Raised> {
        let sizes = ior.profiles.iter().map(|profile| profile.data.len());
        match sizes.sum::<usize>() > self.longest_reference {
            true => Err(Raised::System(full())),
            false => Ok(stored::encode(ior)),
        }
    }

    fn bind_new_context(
        &self,
        start: ContextId,
        name: &Path,
    ) -> Result<Option<NamingContext>, Raised> {
        let id = ContextId::random();
        let call = |other: &NamingContext, rest: &Name| other.bind_new_context(rest);
        match self.change(start, name, Operation::BindNew(id), call)? {
            Some(Some(context)) => Ok(Some(context)),
            // The standard does not permit it, and this server has no context of that name.
            Some(None) => Err(Raised::System(SystemException::inv_objref(
                MinorCode::NONE,
                CompletionStatus::Yes,
            ))),
            None => Ok(Some(self.reference(id).map_err(Raised::System)?.into())),
        }
    }

    fn new_context(&self) -> Result<Option<NamingContext>, SystemException> {
        let id = ContextId::random();
        self.names.change(|tree| tree.plan_create(id)).map_err(system)?;
        Ok(Some(self.reference(id)?.into()))
    }

    fn destroy(&self, id: ContextId) -> Result<(), DestroyError> {
        if id == ContextId::ROOT {
            let code = minor::no_permission::REFUSED;
            return Err(SystemException::no_permission(code, CompletionStatus::No).into());
        }
        match self.names.change(|tree| tree.plan_destroy(id)) {
            Err(NotMade::Refused(Refusal::NotEmpty)) => Err(NotEmpty.into()),
            outcome => outcome.map_err(|not_made| system(not_made).into()),
        }
    }
}

impl Contexts {
    /// The most bindings in one reply.
    pub(super) fn most_listed(&self) -> usize {
        self.listed
    }

    /// Makes operations that change something ask `check` first. Only the first check counts.
    pub(crate) fn set_write_check(&self, check: Box<WriteCheck>) {
        let _ = self.write_check.set(check);
    }

    /// Contexts to which no name leads. Each reply has as many as a list has bindings, at most.
    fn orphans(&self, how_many: u32) -> Result<Vec<NamingContextExt>, SystemException> {
        let count = usize::try_from(how_many).map_or(self.listed, |count| count.min(self.listed));
        let orphans = self.names.orphans(count);
        orphans.into_iter().map(|id| self.reference(id)).collect()
    }
}

impl fmt::Debug for Contexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contexts").field("names", &self.names).finish_non_exhaustive()
    }
}
