//! Decodes the requests for contexts, and encodes the replies.
//!
//! It does without the skeleton of the generated code: `resolve` writes the stored octets of a reference to the reply,
//! without making a reference of them, and one servant serves all contexts.

use std::borrow::Cow;

use zorb::codegen::{Served, ServedBy, ServerCall};
use zorb::giop::Ior;
use zorb::poa::ObjectId;
use zorb::{Interface as _, Ref, SystemException, Wire as _};

use super::super::context_id::ContextId;
use super::super::path::{Path, write_binding};
use super::super::raise::{Raised, no_context};
use super::super::stored::{self, StoredReference};
use super::super::tree::Operation;
use super::super::url;
use super::operations::{
    BIND, BIND_CONTEXT, BIND_FOR, BIND_NEW_CONTEXT, DESTROY, LIST, NEW_CONTEXT, OPERATIONS,
    ORPHANS, REBIND, REBIND_CONTEXT, REBIND_FOR, RESOLVE, RESOLVE_STR, TO_NAME, TO_STRING, TO_URL,
    UNBIND,
};
use super::{Contexts, Resolved};
use crate::cos_naming::naming_context::InvalidName;
use crate::cos_naming::naming_context_ext::ToUrlError;
use crate::cos_naming::{BindingIterator, Name, NamingContext, NamingContextExt};
use crate::naming_extensions::ExtendedContext;

impl Contexts {
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

    /// Resolves a name and replies.
    fn reply_resolved(
        &self,
        call: &mut ServerCall<'_>,
        start: ContextId,
        name: Result<&Path, Raised>,
    ) -> Served {
        let mut octets = StoredReference::default();
        let found = name.and_then(|name| self.resolve(start, name, &mut octets));
        call.reply(found, |writer, found| match found {
            Resolved::Stored => stored::write(&octets, writer),
            Resolved::Reference(reference) => Ref::write_option(reference.as_ref(), writer),
        })
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
                self.reply_resolved(call, id, Ok(&name))
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
                let name = parsed(&text);
                self.reply_resolved(call, id, name.as_ref().map_err(Raised::clone))
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
