//! Running the interceptors of a request.

use std::borrow::Cow;
use std::cell::Cell;

use zorb_base::interceptor::{ClientRequest, ClientRequestInfo, EndTimes, RequestOutcome};
use zorb_types::SystemException;

use super::call::Call;
use super::effective::with_policies;
use super::outcome::{Attempt, Unfinished};
use super::reply::{ReadReply, Reply};
use super::route::Routes;
use crate::object::{Binding, ObjectRef};

/// Makes an attempt by `send`, with the interceptors of the reference around it.
#[inline(never)]
pub(super) fn intercept(
    call: &Call<'_>,
    target: &Binding,
    routes: &Routes,
    send: &dyn Fn(&Call<'_>) -> Attempt,
) -> Attempt {
    with_policies(call.object, |policies| {
        let mut info = ClientRequestInfo::new(ClientRequest {
            operation: call.operation,
            target: target.ior(),
            response_expected: call.response.expects_reply(),
            end_times: call.end_times(),
            policies,
        });
        let mut started = 0;
        let sent = routes.interceptors.iter().try_for_each(|interceptor| {
            interceptor.send_request(&mut info)?;
            started += 1;
            Ok(())
        });
        let raised = Cell::new(None);
        let note = |reply: &Reply<'_>| {
            reply.copy_contexts_to(&info);
            raised.set(reply.user_exception_id()?);
            call.read.read(reply)
        };
        let outcome = match sent {
            Err(exception) => Err(Unfinished::Failed(exception)),
            Ok(()) => send(&Call { info: Some(&info), read: ReadReply::Raw(&note), ..*call }),
        };
        let raised = raised.take();
        let (outcome, retry) = match outcome {
            Ok(()) => match raised {
                Some(id) => (RequestOutcome::UserException(Cow::Owned(id)), None),
                None => (RequestOutcome::Successful, None),
            },
            Err(Unfinished::Failed(exception)) => {
                (RequestOutcome::SystemException(exception), None)
            }
            Err(Unfinished::Forward(ior)) => (RequestOutcome::LocationForward(ior), None),
            Err(retry) => (RequestOutcome::TransportRetry, Some(retry)),
        };
        let started = routes.interceptors.get(..started).unwrap_or_default();
        match (info.end(outcome, started), retry) {
            (RequestOutcome::SystemException(exception), _) => Err(Unfinished::Failed(exception)),
            (RequestOutcome::LocationForward(ior), _) => Err(Unfinished::Forward(ior)),
            (RequestOutcome::TransportRetry, Some(retry)) => Err(retry),
            _ => Ok(()),
        }
    })
}

/// Calls `select` with the requirements of a reference's interceptors for its endpoints, without sending a request;
/// with `None` if there are no interceptors.
pub(crate) fn select_endpoint<T>(
    object: &ObjectRef,
    target: &Binding,
    routes: &Routes,
    select: impl FnOnce(Option<&ClientRequestInfo<'_>>) -> Result<T, SystemException>,
) -> Result<T, SystemException> {
    if routes.interceptors.is_empty() {
        return select(None);
    }
    with_policies(object, |policies| {
        let mut info = ClientRequestInfo::new(ClientRequest {
            operation: "",
            target: target.ior(),
            response_expected: true,
            end_times: EndTimes::default(),
            policies,
        });
        for interceptor in &routes.interceptors {
            interceptor.select_endpoint(&mut info)?;
        }
        select(Some(&info))
    })
}
