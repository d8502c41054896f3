//! The servant of all contexts: it decodes requests, and encodes what the [names](super::names) answer.
//!
//! It does without the skeleton of the generated code: `resolve` writes the stored octets of a reference to the reply,
//! without making a reference of them, and one servant serves all contexts.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use zorb::codegen::{CdrResult, CdrWriter, Operations, Served, ServedBy, ServerCall};
use zorb::giop::Ior;
use zorb::poa::{ObjectId, Poa, PoaPolicies};
use zorb::{
    CompletionStatus, Interface as _, MinorCode, ObjectRef, Orb, Ref, SystemException, WeakOrb,
    Wire, minor,
};

use super::clock::Clock;
use super::context_id::ContextId;
use super::federation::Federation;
use super::iterators::Iterators;
use super::lease_thread::LeaseThread;
use super::names::{Names, NotMade};
use super::options::NamingOptions;
use super::own::names_root;
use super::path::{Path, write_binding};
use super::raise::{Raised, full, no_context, raised, system};
use super::tree::{Bound, Found, Operation, Refusal};
use super::{stored, url};
use crate::cos_naming::naming_context::{DestroyError, InvalidName, NotEmpty};
use crate::cos_naming::naming_context_ext::ToUrlError;
use crate::cos_naming::{BindingIterator, Name, NamingContext, NamingContextExt};
use crate::naming_extensions::ExtendedContext;

const BIND: usize = 0;
const REBIND: usize = 1;
const BIND_CONTEXT: usize = 2;
const REBIND_CONTEXT: usize = 3;
const RESOLVE: usize = 4;
const UNBIND: usize = 5;
const NEW_CONTEXT: usize = 6;
const BIND_NEW_CONTEXT: usize = 7;
const DESTROY: usize = 8;
const LIST: usize = 9;
const TO_STRING: usize = 10;
const TO_NAME: usize = 11;
const TO_URL: usize = 12;
const RESOLVE_STR: usize = 13;
const ORPHANS: usize = 14;
const BIND_FOR: usize = 15;
const REBIND_FOR: usize = 16;

static OPERATIONS: Operations<17> = Operations::new(&[
    "bind",
    "rebind",
    "bind_context",
    "rebind_context",
    "resolve",
    "unbind",
    "new_context",
    "bind_new_context",
    "destroy",
    "list",
    "to_string",
    "to_name",
    "to_url",
    "resolve_str",
    "orphans",
    "bind_for",
    "rebind_for",
]);

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
    /// A reference as it is stored.
    Stored(Vec<u8>),
    Reference(Option<ObjectRef>),
}

impl Resolved {
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        match self {
            Self::Stored(octets) => stored::write(octets, writer),
            Self::Reference(reference) => Ref::write_option(reference.as_ref(), writer),
        }
    }
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

    /// Resolves a name from the context `start` on.
    fn resolve(&self, start: ContextId, name: &Path) -> Result<Resolved, Raised> {
        // Without the lock from here on.
        let found = self.names.read().resolve(start, name);
        match found {
            Ok(Found::Reference(octets)) => Ok(Resolved::Stored(octets)),
            Ok(Found::Context(id)) => {
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

    /// The first bindings of a context, and an iterator if it has more.
    fn list(&self, call: &mut ServerCall<'_>, id: ContextId, how_many: u32) -> Served {
        let count = usize::try_from(how_many).map_or(self.listed, |count| count.min(self.listed));
        let listing = self.names.read().list(id, None, count).map_err(|_| no_context())?;
        let iterator: Option<BindingIterator> = match listing.has_more {
            true => Some(self.iterators.create(id, listing.iter().last().map(|(key, _)| key))?),
            false => None,
        };
        call.reply_dynamic(None, |writer| {
            writer.reserve_capacity(listing.most(), "BindingList")?;
            writer.write_count(listing.len(), "BindingList")?;
            listing
                .iter()
                .try_for_each(|(key, is_context)| write_binding(key, is_context, writer))?;
            Ref::write_option(iterator.as_ref(), writer)
        })
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

    fn check_writer(&self) -> Result<(), SystemException> {
        self.write_check.get().map_or(Ok(()), |check| check())
    }

    /// Makes the upcall of an operation with a name or a text.
    fn serve(&self, call: &mut ServerCall<'_>, id: ContextId, operation: usize) -> Served {
        match operation {
            RESOLVE => {
                let name = call.argument::<Path>()?;
                call.end_of_arguments()?;
                let found = self.resolve(id, &name);
                call.reply(found, |writer, found| found.write(writer))
            }
            BIND | REBIND | BIND_CONTEXT | REBIND_CONTEXT => {
                self.check_writer()?;
                let name = call.argument::<Path>()?;
                let ior = call.argument::<Ior>()?;
                call.end_of_arguments()?;
                let bound = self.bind(id, &name, &ior, operation);
                call.reply_without_results(bound)
            }
            UNBIND => {
                self.check_writer()?;
                let name = call.argument::<Path>()?;
                call.end_of_arguments()?;
                let elsewhere = |other: &NamingContext, rest: &Name| other.unbind(rest);
                let done = self.change(id, &name, Operation::Unbind, elsewhere).map(drop);
                call.reply_without_results(done)
            }
            BIND_NEW_CONTEXT => {
                self.check_writer()?;
                let name = call.argument::<Path>()?;
                call.end_of_arguments()?;
                let context = self.bind_new_context(id, &name);
                call.reply(context, |writer, it| Ref::write_option(it.as_ref(), writer))
            }
            NEW_CONTEXT => {
                self.check_writer()?;
                call.end_of_arguments()?;
                let context = self.new_context();
                call.reply(context, |writer, it| Ref::write_option(it.as_ref(), writer))
            }
            DESTROY => {
                self.check_writer()?;
                call.end_of_arguments()?;
                let done = self.destroy(id);
                call.reply_without_results(done)
            }
            LIST => {
                let how_many = call.argument::<u32>()?;
                call.end_of_arguments()?;
                self.list(call, id, how_many)
            }
            _ => self.serve_text(call, id, operation),
        }
    }

    /// The operations of `NamingContextExt` and of `ExtendedContext`.
    fn serve_text(&self, call: &mut ServerCall<'_>, id: ContextId, operation: usize) -> Served {
        let parsed = |text: &str| Path::parse(text).ok_or(Raised::from(InvalidName));
        match operation {
            TO_STRING => {
                let name = call.argument::<Path>()?;
                call.end_of_arguments()?;
                let text = match name.is_empty() {
                    true => Err(Raised::from(InvalidName)),
                    false => Ok(crate::name_to_string(&name.name_from(0))),
                };
                call.reply(text, |writer, text| String::write(text, writer))
            }
            TO_NAME => {
                let text = call.argument::<String>()?;
                call.end_of_arguments()?;
                call.reply(parsed(&text), |writer, name| Path::write(name, writer))
            }
            TO_URL => {
                let address = call.argument::<String>()?;
                let text = call.argument::<String>()?;
                call.end_of_arguments()?;
                let url: Result<String, ToUrlError> = url::to_url(&address, &text);
                call.reply(url, |writer, url| String::write(url, writer))
            }
            RESOLVE_STR => {
                let text = call.argument::<String>()?;
                call.end_of_arguments()?;
                let found = parsed(&text).and_then(|name| self.resolve(id, &name));
                call.reply(found, |writer, found| found.write(writer))
            }
            BIND_FOR | REBIND_FOR => {
                self.check_writer()?;
                let name = call.argument::<Path>()?;
                let ior = call.argument::<Ior>()?;
                let seconds = call.argument::<u32>()?;
                call.end_of_arguments()?;
                let bound = self.bind_for(id, &name, &ior, seconds, operation == REBIND_FOR);
                call.reply_without_results(bound)
            }
            ORPHANS => {
                // A reference that was told to one client only may be all that protects a context.
                self.check_writer()?;
                let how_many = call.argument::<u32>()?;
                call.end_of_arguments()?;
                let orphans = self.orphans(how_many);
                call.reply(orphans, |writer, contexts| {
                    writer.write_count(contexts.len(), "NamingContexts")?;
                    contexts.iter().try_for_each(|it| Ref::write_option(Some(it), writer))
                })
            }
            _ => call.unknown_operation(),
        }
    }

    /// Contexts to which no name leads. Each reply has as many as a list has bindings, at most.
    fn orphans(&self, how_many: u32) -> Result<Vec<NamingContextExt>, SystemException> {
        let count = usize::try_from(how_many).map_or(self.listed, |count| count.min(self.listed));
        let orphans = self.names.orphans(count);
        orphans.into_iter().map(|id| self.reference(id)).collect()
    }
}

impl ServedBy<Contexts> for ExtendedContext {
    /// References have the standard's type, which the clients of other vendors know.
    fn type_id<'s>(_: &'s Contexts, _: &ObjectId) -> Cow<'s, str> {
        Cow::Borrowed(NamingContextExt::REPOSITORY_ID)
    }

    fn dispatch(servant: &Contexts, call: &mut ServerCall<'_>) -> Served {
        let Some(operation) = call.find(&OPERATIONS) else { return call.unknown_operation() };
        let id = call.object_id().and_then(|id| ContextId::from_octets(id.as_bytes()));
        servant.serve(call, id.ok_or_else(no_context)?, operation)
    }

    fn exists(servant: &Contexts, id: &ObjectId) -> bool {
        let id = ContextId::from_octets(id.as_bytes());
        id.is_some_and(|id| servant.names.read().has(id))
    }
}

impl fmt::Debug for Contexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contexts").field("names", &self.names).finish_non_exhaustive()
    }
}
