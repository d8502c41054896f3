//! Service contexts that interceptors add to messages, and those of replies for interceptors.

use smallvec::SmallVec;
use zorb_giop::{MAX_SERVICE_CONTEXTS, ServiceContext, ServiceContexts, ServiceId};
use zorb_types::{CompletionStatus, SystemException, minor};

/// The maximum number of service contexts that interceptors add to one message. The ORB adds at most two:
/// code sets and priority band.
const MAX_ADDED: usize = MAX_SERVICE_CONTEXTS - 2;

/// The contexts that interceptors have added to a message.
///
/// The contexts of real-time calls have at most 72 octets. Stored inline, they need no allocation.
#[derive(Debug, Default)]
pub struct AddedContexts(SmallVec<[AddedContext; 2]>);

#[derive(Debug)]
struct AddedContext {
    id: ServiceId,
    data: SmallVec<[u8; 72]>,
}

impl AddedContexts {
    /// Adds the context of service `id`, or replaces it if `replace` is set.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (OMG 15) if there is one and `replace` is not set; `IMP_LIMIT`, minor
    /// `TOO_MANY_CONTEXTS`, for more than 1,022; `NO_MEMORY`.
    pub fn add(
        &mut self,
        id: ServiceId,
        data: &[u8],
        replace: bool,
        completed: CompletionStatus,
    ) -> Result<(), SystemException> {
        let known = self.0.iter().position(|added| added.id == id);
        if known.is_some() && !replace {
            let code = minor::bad_inv_order::CONTEXT_EXISTS;
            return Err(SystemException::bad_inv_order(code, completed));
        }
        if known.is_none() && self.0.len() == MAX_ADDED {
            let code = minor::imp_limit::TOO_MANY_CONTEXTS;
            return Err(SystemException::imp_limit(code, completed));
        }
        let mut octets = SmallVec::new();
        let reserved = octets.try_reserve_exact(data.len());
        reserved
            .and_then(|()| self.0.try_reserve(1))
            .map_err(|_| SystemException::no_memory(minor::no_memory::OUT_OF_MEMORY, completed))?;
        octets.extend_from_slice(data);
        match known.and_then(|at| self.0.get_mut(at)) {
            Some(known) => known.data = octets,
            None => self.0.push(AddedContext { id, data: octets }),
        }
        Ok(())
    }

    /// Copies the contexts of a received message. Those for which there is no memory are left out.
    pub fn copy_of(contexts: &ServiceContexts<'_>) -> Self {
        let mut copy = Self::default();
        for context in contexts.iter() {
            let mut data = SmallVec::new();
            let reserved = data.try_reserve_exact(context.data.len());
            if reserved.and_then(|()| copy.0.try_reserve(1)).is_err() {
                break;
            }
            data.extend_from_slice(&context.data);
            copy.0.push(AddedContext { id: context.id, data });
        }
        copy
    }

    /// The data of the first context of service `id`.
    pub fn find(&self, id: ServiceId) -> Option<&[u8]> {
        self.0.iter().find(|added| added.id == id).map(|added| &added.data[..])
    }

    /// Calls `write` with the contexts in the order in which they were added.
    pub fn write<T>(&self, write: impl FnOnce(&[ServiceContext<'_>]) -> T) -> T {
        let contexts: SmallVec<[ServiceContext<'_>; 2]> = self.iter().collect();
        write(&contexts)
    }

    /// The contexts in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = ServiceContext<'_>> {
        self.0.iter().map(|added| ServiceContext::new(added.id, &added.data[..]))
    }
}
