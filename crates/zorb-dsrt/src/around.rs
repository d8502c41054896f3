//! What is done around requests and upcalls.

use std::rc::Rc;
use std::sync::Arc;

use zorb_cdr::ByteOrder;
use zorb_core::policy::{AroundUpcall, RequestContext, ShortContext};
use zorb_core::{ObjectRef, Served, ServerCall};
use zorb_giop::ServiceId;
use zorb_types::{CompletionStatus, SystemException, Transfer, minor};

use super::context;
use super::node::{CANCEL, Node};
use super::visit::{Entered, Visit, present};

/// Has requests carry on the thread that sends them.
#[derive(Debug)]
pub(crate) struct Propagation;

impl RequestContext for Propagation {
    fn context(&self) -> Result<Option<ShortContext>, SystemException> {
        Ok(None)
    }

    fn context_to(&self, object: &ObjectRef) -> Result<Option<ShortContext>, SystemException> {
        let Some(visit) = present() else { return Ok(None) };
        visit.goes_to(object)?;
        let carried = visit.carried();
        let data = context::encode(&visit.known.id, carried.as_ref(), ByteOrder::NATIVE).map_err(
            |error| SystemException::from_cdr(error, CompletionStatus::No, Transfer::SendRequest),
        )?;
        Ok(ShortContext::new(ServiceId::ZORB_DISTRIBUTABLE_THREAD, &data))
    }

    /// A thread that could not be carried on would be another one there.
    fn must_arrive(&self, _: &ObjectRef, _: Option<i16>) -> bool {
        present().is_some()
    }

    fn ended(&self, _: &ObjectRef) -> Result<(), SystemException> {
        present().map_or(Ok(()), |visit| visit.comes_back())
    }
}

/// Takes up the thread of each request.
#[derive(Debug)]
pub(crate) struct AroundVisit {
    pub(crate) node: Arc<Node>,
}

impl AroundVisit {
    /// The thread that comes with a request, if one does.
    fn arriving(&self, call: &ServerCall<'_>) -> Result<Option<Rc<Visit>>, SystemException> {
        let Some(data) = call.service_context(ServiceId::ZORB_DISTRIBUTABLE_THREAD) else {
            return Ok(None);
        };
        let no = CompletionStatus::No;
        let (id, parameters) = context::decode(data)
            .map_err(|error| SystemException::from_cdr(error, no, Transfer::ReceiveRequest))?;
        if parameters.is_some_and(|parameters| !self.node.scheduler.accepts(&parameters)) {
            return Err(SystemException::inv_policy(minor::inv_policy::DISCIPLINE, no));
        }
        Ok(Some(Visit::new(&self.node, id, parameters, false)))
    }

    fn cancel(&self, call: &mut ServerCall<'_>) -> Served {
        let id = context::read_id(call.arguments()).map_err(|error| {
            SystemException::from_cdr(error, CompletionStatus::No, Transfer::ReceiveRequest)
        })?;
        self.node.cancel(&id);
        call.done()
    }
}

impl AroundUpcall for AroundVisit {
    fn upcall(
        &self,
        call: &mut ServerCall<'_>,
        run: &mut dyn FnMut(&mut ServerCall<'_>) -> Served,
    ) -> Served {
        if call.operation() == CANCEL.as_bytes() {
            return self.cancel(call);
        }
        let Some(visit) = self.arriving(call)? else {
            // What an upcall inside this ORB does is not its caller's thread's doing.
            let _none = Entered::new(None);
            return run(call);
        };
        visit.check(CompletionStatus::No)?;
        visit.tell(|point| self.node.scheduler.receive_request(point))?;
        let upcall =
            Upcall { visit: Rc::clone(&visit), _entered: Entered::new(Some(Rc::clone(&visit))) };
        let served = visit.check(CompletionStatus::No).and_then(|()| run(call));
        drop(upcall);
        visit.check(CompletionStatus::Maybe)?;
        served
    }
}

/// An upcall of a thread, which ends however it ends.
struct Upcall {
    visit: Rc<Visit>,
    _entered: Entered,
}

impl Drop for Upcall {
    fn drop(&mut self) {
        let visit = &self.visit;
        // Segments that the servant has not ended.
        while visit.segments.borrow_mut().pop().is_some() {
            visit.tell(|point| visit.node.scheduler.end_nested_scheduling_segment(point));
        }
        visit.tell(|point| visit.node.scheduler.send_reply(point));
    }
}
