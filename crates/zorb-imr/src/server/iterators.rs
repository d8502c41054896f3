//! Iterators over servers. Each is a position among their names.

use std::sync::Arc;

use zorb::codegen::{Operations, Served, ServedBy, ServerCall};
use zorb::poa::{AnyServant, ObjectId, PoaError};
use zorb::{Orb, SystemException, Wire as _};

use super::listing::Listing;
use super::options::ImrOptions;
use crate::implementation_repository::{ServerInformationIterator, ServerInformationList};

/// The name of the adapter of iterators.
const ADAPTER: &str = "ServerInformationIterators";

static OPERATIONS: Operations<2> = Operations::new(&["next_n", "destroy"]);

/// The default servant of the adapter of iterators.
pub(crate) struct Iterators {
    listing: Listing,
    /// Whether there may be any.
    may_exist: bool,
    /// The last servers that they have listed.
    all: zorb_iterators::Iterators<String>,
}

impl Iterators {
    pub(crate) fn new(
        orb: &Orb,
        listing: Listing,
        options: &ImrOptions,
    ) -> Result<Arc<Self>, PoaError> {
        let (limit, lifetime) = (options.imr_iterators, options.imr_iterator_lifetime);
        let all = zorb_iterators::Iterators::new(orb, ADAPTER, limit, lifetime)?;
        let iterators = Arc::new(Self { listing, may_exist: limit > 0, all });
        let servant = AnyServant::of::<ServerInformationIterator, _>(Arc::clone(&iterators));
        iterators.all.set_servant(servant)?;
        Ok(iterators)
    }

    /// An iterator over the servers behind this one; `None` if there may be none.
    pub(crate) fn create(
        &self,
        last: &str,
    ) -> Result<Option<ServerInformationIterator>, SystemException> {
        self.may_exist.then(|| self.all.create(last.to_owned())).transpose()
    }

    fn next_n(&self, call: &mut ServerCall<'_>, how_many: u32) -> Served {
        let servers = self.all.with(call.object_id(), |last| {
            let (servers, _) = self.listing.list(last, how_many);
            if let Some(server) = servers.last() {
                last.clone_from(&server.server);
            }
            servers
        })?;
        call.reply_dynamic(None, |writer| {
            writer.write_bool(!servers.is_empty());
            ServerInformationList::write(&servers, writer)
        })
    }
}

impl ServedBy<Iterators> for ServerInformationIterator {
    fn dispatch(servant: &Iterators, call: &mut ServerCall<'_>) -> Served {
        match call.find(&OPERATIONS) {
            Some(0) => {
                let how_many = call.argument::<u32>()?;
                call.end_of_arguments()?;
                servant.next_n(call, how_many)
            }
            Some(1) => {
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
