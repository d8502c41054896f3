//! The interceptors that continue distributable threads on other nodes.

use std::rc::Rc;
use std::sync::Arc;

use zorb_cdr::ByteOrder;
use zorb_core::interceptor::{
    ClientRequestInfo, ClientRequestInterceptor, RequestOutcome, ServerRequestInfo,
    ServerRequestInterceptor,
};
use zorb_giop::ServiceId;
use zorb_types::{CompletionStatus, SystemException, Transfer, minor};

use super::cancellation::{CANCEL, cancel};
use super::context;
use super::node::Node;
use super::visit::{Entered, Visit, current_visit};

/// Sends the id and the parameters of the calling thread's distributable thread with its requests.
#[derive(Debug)]
pub(crate) struct Propagation;

impl ClientRequestInterceptor for Propagation {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let Some(visit) = current_visit() else { return Ok(()) };
        // Without the id, the thread would not continue on the server.
        info.require_contexts(None);
        let parameters = visit.request_parameters();
        let data = context::encode(&visit.entry.id, parameters.as_ref(), ByteOrder::NATIVE)
            .map_err(|error| {
                SystemException::from_cdr(error, CompletionStatus::No, Transfer::SendRequest)
            })?;
        info.add_request_service_context(ServiceId::ZORB_DISTRIBUTABLE_THREAD, &data, false)?;
        visit.send_request(info.target())
    }

    fn select_endpoint(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        if current_visit().is_some() {
            info.require_contexts(None);
        }
        Ok(())
    }

    fn receive_reply(&self, _: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        current_visit().map_or(Ok(()), |visit| visit.receive_reply())
    }

    fn receive_exception(&self, info: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.receive_reply(info)
    }

    fn receive_other(&self, info: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.receive_reply(info)
    }

    fn intercepts_collocated_calls(&self) -> bool {
        false
    }
}

/// Makes upcalls part of the distributable threads of their requests.
#[derive(Debug)]
pub(crate) struct UpcallVisit {
    pub(crate) node: Arc<Node>,
}

impl UpcallVisit {
    /// The visit of the distributable thread of a request; `None` for a request without one.
    fn visit_of(&self, info: &ServerRequestInfo<'_>) -> Result<Option<Rc<Visit>>, SystemException> {
        let Some(data) = info.request_service_context(ServiceId::ZORB_DISTRIBUTABLE_THREAD) else {
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

    fn cancel(&self, info: &ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let id = context::read_id(&mut info.arguments()).map_err(|error| {
            SystemException::from_cdr(error, CompletionStatus::No, Transfer::ReceiveRequest)
        })?;
        cancel(&self.node, &id);
        Ok(())
    }
}

impl ServerRequestInterceptor for UpcallVisit {
    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        if info.operation() == CANCEL {
            return self.cancel(info);
        }
        let Some(visit) = self.visit_of(info)? else {
            // A collocated upcall does not belong to the distributable thread of its caller.
            let _none = Entered::new(None);
            return info.proceed();
        };
        visit.check(CompletionStatus::No)?;
        visit.notify_scheduler(|point| self.node.scheduler.receive_request(point))?;
        let upcall =
            Upcall { visit: Rc::clone(&visit), _entered: Entered::new(Some(Rc::clone(&visit))) };
        let served = visit.check(CompletionStatus::No).and_then(|()| info.proceed());
        drop(upcall);
        if served.is_err() {
            visit.check(CompletionStatus::Maybe)?;
        }
        served
    }

    /// The upcall has returned, and its visit has not ended yet.
    fn send_reply(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        if info.operation() == CANCEL {
            return Ok(());
        }
        current_visit().map_or(Ok(()), |visit| visit.check(CompletionStatus::Maybe))
    }

    fn send_exception(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        match info.outcome() {
            Some(RequestOutcome::UserException(_)) => self.send_reply(info),
            // `around_upcall` has checked it.
            _ => Ok(()),
        }
    }
}

/// Ends an upcall of a distributable thread when dropped, also after a panic.
struct Upcall {
    visit: Rc<Visit>,
    _entered: Entered,
}

impl Drop for Upcall {
    fn drop(&mut self) {
        let visit = &self.visit;
        // End the segments that the servant has not ended.
        while visit.segments.borrow_mut().pop().is_some() {
            visit.notify_scheduler(|point| {
                visit.node.scheduler.end_nested_scheduling_segment(point)
            });
        }
        visit.notify_scheduler(|point| visit.node.scheduler.send_reply(point));
    }
}
