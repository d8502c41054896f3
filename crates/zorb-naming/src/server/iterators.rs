//! Binding iterators.
//!
//! An iterator stores the last name that it has returned, no copy of the context: it returns each name that is bound all
//! the time, and none twice.

mod table;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use zorb::codegen::{Operations, Served, ServedBy, ServerCall};
use zorb::poa::{AnyServant, ObjectId, PoaError, PoaPolicies};
use zorb::{CompletionStatus, MinorCode, Orb, SystemException, WeakOrb};

use super::context_id::ContextId;
use super::names::Names;
use super::options::NamingOptions;
use super::path::write_binding;
use super::raise::no_context;
use super::tree::Listing;
use crate::cos_naming::BindingIterator;
use table::{Cursor, Table};

/// The name of the adapter of iterators.
const ADAPTER: &str = "BindingIterators";

static OPERATIONS: Operations<3> = Operations::new(&["next_one", "next_n", "destroy"]);

/// The default servant of the adapter of iterators.
pub(crate) struct Iterators {
    names: Arc<Names>,
    // The ORB owns the adapter, and the adapter this servant: it must not own them.
    orb: WeakOrb,
    listed: usize,
    table: Mutex<Table>,
}

impl Iterators {
    pub(crate) fn new(
        orb: &Orb,
        names: Arc<Names>,
        options: &NamingOptions,
    ) -> Result<Arc<Self>, PoaError> {
        let policies = PoaPolicies::new().user_ids().multiple_ids().non_retain().default_servant();
        let poa = orb.root_poa().create(ADAPTER, policies)?;
        let iterators = Arc::new(Self {
            names,
            orb: orb.downgrade(),
            listed: options.naming_listed_bindings,
            table: Mutex::new(Table::new(
                options.naming_iterators,
                options.naming_iterator_lifetime,
            )),
        });
        let servant = AnyServant::of::<BindingIterator, _>(Arc::clone(&iterators));
        poa.set_servant(servant)?;
        Ok(iterators)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of iterators.
    pub(crate) fn len(&self) -> usize {
        self.table().len()
    }

    /// An iterator of a context, behind the key `after`.
    pub(crate) fn create(
        &self,
        context: ContextId,
        after: Option<&[u8]>,
    ) -> Result<BindingIterator, SystemException> {
        let orb = self.orb.upgrade().ok_or_else(no_context)?;
        let poa = orb.root_poa().find(ADAPTER)?;
        let cursor = Cursor { context, after: after.map(Into::into) };
        let id = self.table().add(cursor, Instant::now());
        Ok(poa.create_reference_with_id(ObjectId::new(id.to_be_bytes()))?)
    }

    /// Goes on by up to `count` bindings.
    fn next(&self, id: u64, count: usize) -> Result<Listing, SystemException> {
        let mut table = self.table();
        let cursor = table.get(id, Instant::now()).ok_or_else(no_context)?;
        let listed = self.names.read().list(cursor.context, cursor.after.as_deref(), count);
        // A context that has been destroyed has no more bindings.
        let listing = listed.unwrap_or_default();
        if let Some((key, _)) = listing.iter().last() {
            cursor.after = Some(key.into());
        }
        Ok(listing)
    }

    fn next_one(&self, call: &mut ServerCall<'_>, id: u64) -> Served {
        let listing = self.next(id, 1)?;
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

    fn next_n(&self, call: &mut ServerCall<'_>, id: u64, how_many: u32) -> Served {
        if how_many == 0 {
            return Err(SystemException::bad_param(MinorCode::NONE, CompletionStatus::No));
        }
        let count = usize::try_from(how_many).map_or(self.listed, |count| count.min(self.listed));
        let listing = self.next(id, count.max(1))?;
        call.reply_dynamic(None, |writer| {
            writer.write_bool(listing.len() > 0);
            writer.write_count(listing.len(), "BindingList")?;
            listing.iter().try_for_each(|(key, is_context)| write_binding(key, is_context, writer))
        })
    }
}

fn number(id: &ObjectId) -> Option<u64> {
    id.as_bytes().try_into().ok().map(u64::from_be_bytes)
}

impl ServedBy<Iterators> for BindingIterator {
    fn dispatch(servant: &Iterators, call: &mut ServerCall<'_>) -> Served {
        let operation = call.find(&OPERATIONS);
        let id = call.object_id().and_then(number).ok_or_else(no_context)?;
        match operation {
            Some(0) => {
                call.end_of_arguments()?;
                servant.next_one(call, id)
            }
            Some(1) => {
                let how_many = call.argument::<u32>()?;
                call.end_of_arguments()?;
                servant.next_n(call, id, how_many)
            }
            Some(2) => {
                call.end_of_arguments()?;
                match servant.table().remove(id) {
                    true => call.done(),
                    false => Err(no_context()),
                }
            }
            _ => call.unknown_operation(),
        }
    }

    fn exists(servant: &Iterators, id: &ObjectId) -> bool {
        number(id).is_some_and(|id| servant.table().get(id, Instant::now()).is_some())
    }
}

impl fmt::Debug for Iterators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iterators").field("table", &self.table).finish_non_exhaustive()
    }
}
