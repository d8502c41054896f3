//! The interceptors of a request until it ends, and what they add to its reply.

use std::sync::Arc;

use zorb_base::interceptor::{AddedContexts, ServerRequestInterceptor};
use zorb_base::object_id::ObjectId;
use zorb_base::policy::Policies;
use zorb_cdr::{ByteOrder, CdrResult};
use zorb_giop::{Form, MessageWriter, ReplyStatus};

/// The interceptors whose first point has run and that must be told how the request ends (the flow stack of
/// CORBA 3.3 part 1, 16.3.2), and the service contexts of the reply.
pub(crate) struct FlowStack<'a> {
    pub(crate) interceptors: &'a [Arc<dyn ServerRequestInterceptor>],
    pub(crate) object_id: &'a ObjectId,
    pub(crate) policies: &'a Policies,
    contexts: AddedContexts,
    /// Whether the `send_` methods have run.
    pub(crate) has_ended: bool,
}

impl<'a> FlowStack<'a> {
    /// The flow stack of a request for this object, without interceptors.
    pub(crate) fn new(object_id: &'a ObjectId, policies: &'a Policies) -> Self {
        let contexts = AddedContexts::default();
        Self { interceptors: &[], object_id, policies, contexts, has_ended: false }
    }

    /// Begins the reply, with the contexts.
    #[inline(never)]
    pub(crate) fn begin_reply<'b>(
        &self,
        buffer: &'b mut Vec<u8>,
        form: Form<'b>,
        request_id: u32,
        status: ReplyStatus,
    ) -> CdrResult<MessageWriter<'b>> {
        let order = ByteOrder::NATIVE;
        self.contexts.write(|contexts| form.reply(buffer, order, request_id, status, contexts))
    }

    /// The contexts of the reply, until it is written.
    pub(crate) fn contexts(&mut self) -> Option<&mut AddedContexts> {
        (!self.has_ended).then_some(&mut self.contexts)
    }
}
