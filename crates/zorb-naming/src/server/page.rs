//! Pages of names, for programs that show them.

use super::context_id::ContextId;
use super::path::parts;
use super::service::NamingService;

/// Some of the bindings of a context: [`NamingService::page`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamesPage {
    /// The bindings, in the order of ids and kinds.
    pub bindings: Vec<ListedName>,
    /// Behind what the next page begins; `None` if this is the last one.
    pub next: Option<Vec<u8>>,
}

/// A binding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedName {
    /// The id of the name's component.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Whether a context is bound, of this service or of another one.
    pub is_context: bool,
    /// The number of the context, if it is one of this service.
    pub context: Option<u64>,
}

impl NamingService {
    /// The number of the root context.
    pub const ROOT: u64 = ContextId::ROOT.0;

    /// Returns a page of the bindings of a context: [`ROOT`](Self::ROOT), or one that an earlier page contains. It starts
    /// after the binding `after`, the `next` of the previous page, or at the first if `after` is empty. It has at most
    /// `most` bindings, and no more than the options `NamingListedBindings` and `NamingListedOctets` permit. `None` if there
    /// is no such context.
    pub fn page(&self, context: u64, after: &[u8], most: usize) -> Option<NamesPage> {
        let context = ContextId(context);
        let most = most.min(self.contexts().most_listed()).max(1);
        let tree = self.contexts().names.read();
        let listing = tree.list(context, Some(after), most).ok()?;
        let listed = |(key, is_context): (&[u8], bool)| {
            let (id, kind) = parts(key);
            let inner = tree.context_of(context, key);
            let context = inner.map(|ContextId(number)| number);
            ListedName { id: id.to_owned(), kind: kind.to_owned(), is_context, context }
        };
        let last = listing.iter().last().filter(|_| listing.has_more);
        Some(NamesPage {
            bindings: listing.iter().map(listed).collect(),
            next: last.map(|(key, _)| key.to_vec()),
        })
    }
}
