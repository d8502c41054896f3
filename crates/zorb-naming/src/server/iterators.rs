//! Binding iterators.
//!
//! An iterator stores the last name that it has returned, no copy of the context: it returns each name that is bound all
//! the time, and none twice.

use std::fmt;
use std::sync::Arc;

use zorb::codegen::{Operations, Served, ServedBy, ServerCall};
use zorb::poa::{AnyServant, ObjectId, PoaError};
use zorb::{CompletionStatus, MinorCode, Orb, SystemException};

use super::context_id::ContextId;
use super::names::Names;
use super::options::NamingOptions;
use super::path::write_binding;
use super::tree::Listing;
use crate::cos_naming::BindingIterator;

/// The name of the adapter of iterators.
const ADAPTER: &str = "BindingIterators";

static OPERATIONS: Operations<3> = Operations::new(&["next_one", "next_n", "destroy"]);

/// The default servant of the adapter of iterators.
pub(crate) struct Iterators {
    names: Arc<Names>,
    listed: usize,
    all: zorb_iterators::Iterators<Cursor>,
}

/// Where an iterator is.
struct Cursor {
    context: ContextId,
    /// The last key that it has returned.
    after: Option<Box<[u8]>>,
}

impl Iterators {
    pub(crate) fn new(
        orb: &Orb,
        names: Arc<Names>,
        options: &NamingOptions,
    ) -> Result<Arc<Self>, PoaError> {
        let (limit, lifetime) = (options.naming_iterators, options.naming_iterator_lifetime);
        let all = zorb_iterators::Iterators::new(orb, ADAPTER, limit, lifetime)?;
        let iterators = Arc::new(Self { names, listed: options.naming_listed_bindings, all });
        iterators.all.set_servant(AnyServant::of::<BindingIterator, _>(Arc::clone(&iterators)))?;
        Ok(iterators)
    }

    /// The number of iterators.
    pub(crate) fn len(&self) -> usize {
        self.all.count()
    }

    /// An iterator of a context, behind the key `after`.
    pub(crate) fn create(
        &self,
        context: ContextId,
        after: Option<&[u8]>,
    ) -> Result<BindingIterator, SystemException> {
        self.all.create(Cursor { context, after: after.map(Into::into) })
    }

    /// Goes on by up to `count` bindings.
    fn next(&self, id: Option<&ObjectId>, count: usize) -> Result<Listing, SystemException> {
        self.all.with(id, |cursor| {
            let listed = self.names.read().list(cursor.context, cursor.after.as_deref(), count);
            // The context may have been destroyed: the list ends there.
            let listing = listed.unwrap_or_default();
            if let Some((key, _)) = listing.iter().last() {
                cursor.after = Some(key.into());
            }
            listing
        })
    }

    fn next_one(&self, call: &mut ServerCall<'_>) -> Served {
        let listing = self.next(call.object_id(), 1)?;
        call.reply_dynamic(None, |writer| {
            writer.write_bool(listing.len() > 0);
            match listing.iter().next() {
                Some((key, is_context)) => write_binding(key, is_context, writer),
                None => {
                    // No component, and `nobject`.
                    writer.write_count(0, "Name")?;
                    writer.write_u32(0);
                    Ok(())
                }
            }
        })
    }

    fn next_n(&self, call: &mut ServerCall<'_>, how_many: u32) -> Served {
        if how_many == 0 {
            return Err(SystemException::bad_param(MinorCode::NONE, CompletionStatus::No));
        }
        let count = usize::try_from(how_many).map_or(self.listed, |count| count.min(self.listed));
        let listing = self.next(call.object_id(), count.max(1))?;
        call.reply_dynamic(None, |writer| {
            writer.write_bool(listing.len() > 0);
            writer.reserve_capacity(listing.most(), "BindingList")?;
            writer.write_count(listing.len(), "BindingList")?;
            listing.iter().try_for_each(|(key, is_context)| write_binding(key, is_context, writer))
        })
    }
}

impl ServedBy<Iterators> for BindingIterator {
    fn dispatch(servant: &Iterators, call: &mut ServerCall<'_>) -> Served {
        match call.find(&OPERATIONS) {
            Some(0) => {
                call.end_of_arguments()?;
                servant.next_one(call)
            }
            Some(1) => {
                let how_many = call.argument::<u32>()?;
                call.end_of_arguments()?;
                servant.next_n(call, how_many)
            }
            Some(2) => {
                call.end_of_arguments()?;
                servant.all.destroy(call.object_id())?;
                call.done()
            }
            _ => call.unknown_operation(),
        }
    }

    fn exists(servant: &Iterators, id: &ObjectId) -> bool {
        servant.all.exists(id)
    }
}

impl fmt::Debug for Iterators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Iterators").field(&self.all).finish()
    }
}
