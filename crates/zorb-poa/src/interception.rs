//! Running the first and last points of the interceptors of a request.

use std::borrow::Cow;
use std::sync::Arc;

use zorb_base::interceptor::{
    AddedContexts, InterceptedRequest, RequestOutcome, ServerRequestInfo, ServerRequestInterceptor,
    SlotTable, end_request, invalid_call,
};
use zorb_base::object_id::ObjectId;
use zorb_base::policy::Policies;
use zorb_cdr::{ByteOrder, CdrReader};
use zorb_giop::RequestHeader;
use zorb_types::SystemException;

use crate::call::ServerCall;
use crate::flow_stack::FlowStack;
use crate::reply::Served;

impl<'a> ServerCall<'a> {
    /// Runs the first point of these interceptors. Those at which it succeeds are told how the request ends.
    ///
    /// # Errors
    /// The system exception of the first that raises one.
    #[inline(never)]
    pub(crate) fn begin_flow(
        &mut self,
        interceptors: &'a [Arc<dyn ServerRequestInterceptor>],
        object_id: &'a ObjectId,
        policies: &'a Policies,
    ) -> Served {
        let mut flow = FlowStack::new(object_id, policies);
        let arguments = self.remaining_arguments();
        let lane_priority = self.lane();
        let mut started = 0;
        let mut point = Point { header: &self.request, lane_priority, arguments, flow: &mut flow };
        let mut info = ServerRequestInfo::new(&mut point, &[]);
        let received = interceptors.iter().try_for_each(|interceptor| {
            interceptor.receive_request_service_contexts(&mut info)?;
            started += 1;
            Ok(())
        });
        flow.interceptors = interceptors.get(..started).unwrap_or_default();
        self.reply.begin_flow(flow);
        received
    }

    /// Runs the last point of the interceptors, if there are any, before a reply with results is written.
    ///
    /// # Errors
    /// As [`end_flow`](Self::end_flow).
    #[inline]
    pub(crate) fn end_successfully(&mut self) -> Served {
        match self.reply.flow {
            None => Ok(()),
            Some(_) => self.end_flow(RequestOutcome::Successful),
        }
    }

    /// Runs the last point of the interceptors, before the reply is written.
    ///
    /// # Errors
    /// The system exception to reply with: that of `outcome`, or one that an interceptor has raised.
    #[inline(never)]
    pub(crate) fn end_flow(&mut self, outcome: RequestOutcome) -> Served {
        let replies = self.reply.is_expected;
        let lane_priority = self.lane();
        let outcome = match &mut self.reply.flow {
            Some(flow) if !flow.has_ended => {
                let flow = &mut **flow;
                let interceptors = flow.interceptors;
                let arguments = CdrReader::new(&[], ByteOrder::NATIVE);
                let mut point = Point { header: &self.request, lane_priority, arguments, flow };
                let outcome = end_request(&mut point, interceptors, outcome, replies);
                flow.has_ended = true;
                outcome
            }
            _ => outcome,
        };
        match outcome {
            RequestOutcome::SystemException(exception) => Err(exception),
            _ => Ok(()),
        }
    }
}

/// A request at its first or last point.
struct Point<'p, 'a> {
    header: &'p RequestHeader<'a>,
    lane_priority: Option<i16>,
    arguments: CdrReader<'a>,
    flow: &'p mut FlowStack<'a>,
}

impl InterceptedRequest for Point<'_, '_> {
    fn header(&self) -> &RequestHeader<'_> {
        self.header
    }

    fn object_id(&self) -> &ObjectId {
        self.flow.object_id
    }

    fn most_derived_interface(&self) -> Option<Cow<'_, str>> {
        None
    }

    fn policies(&self) -> &Policies {
        self.flow.policies
    }

    fn arguments(&self) -> CdrReader<'_> {
        self.arguments.clone()
    }

    fn lane_priority(&self) -> Option<i16> {
        self.lane_priority
    }

    fn reply_contexts(&mut self) -> Option<&mut AddedContexts> {
        self.flow.contexts()
    }

    fn slots(&mut self) -> Option<SlotTable> {
        Some(self.flow.slots())
    }

    fn upcall(&mut self) -> Result<(), SystemException> {
        Err(invalid_call())
    }
}
