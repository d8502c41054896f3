//! The interceptors of a request until it ends, and what they add to its reply.

use std::sync::Arc;

use zorb_base::interceptor::{AddedContexts, ServerRequestInterceptor, SlotTable};
use zorb_base::object_id::ObjectId;
use zorb_base::policy::Policies;
use zorb_cdr::{ByteOrder, CdrResult, fallible};
use zorb_giop::{MessageFormat, MessageWriter, ReplyStatus};
use zorb_types::SystemException;

use crate::error::no_memory;

/// The interceptors whose first point has run and that must be told how the request ends (the flow stack of
/// CORBA 3.3 part 1, 16.3.2), and the service contexts of the reply.
pub(crate) struct FlowStack<'a> {
    pub(crate) interceptors: &'a [Arc<dyn ServerRequestInterceptor>],
    pub(crate) object_id: &'a ObjectId,
    pub(crate) policies: &'a Policies,
    contexts: AddedContexts,
    /// From their first use on.
    slots: Option<SlotTable>,
    /// Whether the `send_` methods have run.
    pub(crate) has_ended: bool,
}

impl<'a> FlowStack<'a> {
    /// The flow stack of a request for this object, without interceptors.
    pub(crate) fn new(object_id: &'a ObjectId, policies: &'a Policies) -> Self {
        let contexts = AddedContexts::default();
        Self { interceptors: &[], object_id, policies, contexts, slots: None, has_ended: false }
    }

    /// Takes over what the end of the request needs, to run its last points later. Here it has ended.
    ///
    /// # Errors
    /// `NO_MEMORY`.
    pub(crate) fn suspend(&mut self, operation: &str) -> Result<SuspendedFlow, SystemException> {
        let operation = fallible::copy_text(operation).map_err(no_memory)?;
        let object_id = self.object_id.try_clone().map_err(no_memory)?;
        self.has_ended = true;
        Ok(SuspendedFlow {
            interceptors: std::mem::take(&mut self.interceptors).to_vec(),
            object_id,
            policies: self.policies.clone(),
            contexts: std::mem::take(&mut self.contexts),
            slots: self.slots.clone(),
            operation,
        })
    }

    /// Begins the reply, with the contexts.
    #[inline(never)]
    pub(crate) fn begin_reply<'b>(
        &self,
        buffer: &'b mut Vec<u8>,
        form: MessageFormat<'b>,
        request_id: u32,
        status: ReplyStatus,
    ) -> CdrResult<MessageWriter<'b>> {
        let order = ByteOrder::NATIVE;
        self.contexts.write(|contexts| form.reply(buffer, order, request_id, status, contexts))
    }

    /// The slots of the request.
    pub(crate) fn slots(&mut self) -> SlotTable {
        self.slots.get_or_insert_default().clone()
    }

    /// The contexts of the reply, until it is written.
    pub(crate) fn contexts(&mut self) -> Option<&mut AddedContexts> {
        (!self.has_ended).then_some(&mut self.contexts)
    }
}

/// The flow stack of a request whose upcall has returned, but which has not ended.
pub(crate) struct SuspendedFlow {
    interceptors: Vec<Arc<dyn ServerRequestInterceptor>>,
    object_id: ObjectId,
    policies: Policies,
    contexts: AddedContexts,
    slots: Option<SlotTable>,
    /// The name of the operation.
    pub(crate) operation: String,
}

impl SuspendedFlow {
    /// The flow stack, for the last points of the interceptors.
    pub(crate) fn resume(&mut self) -> FlowStack<'_> {
        FlowStack {
            interceptors: &self.interceptors,
            object_id: &self.object_id,
            policies: &self.policies,
            contexts: std::mem::take(&mut self.contexts),
            slots: self.slots.clone(),
            has_ended: false,
        }
    }
}
