//! Running the interceptors of a request.

use std::cell::Cell;

use zorb_base::interceptor::{ClientRequest, ClientRequestInfo, EndTimes};
use zorb_giop::ReplyStatus;
use zorb_types::SystemException;

use super::attempt::{Attempt, Unfinished};
use super::call::Call;
use super::effective::with_policies;
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
        let mut refused = None;
        for interceptor in &routes.interceptors {
            if let Err(exception) = interceptor.send_request(&mut info) {
                refused = Some(exception);
                break;
            }
            started += 1;
        }
        let status = Cell::new(None);
        let note_status = |reply: &Reply<'_>| {
            status.set(Some(reply.received.start.status));
            call.read.read(reply)
        };
        let mut outcome = match refused {
            Some(exception) => Err(Unfinished::Failed(exception)),
            None => send(&Call { info: Some(&info), read: ReadReply::Raw(&note_status), ..*call }),
        };
        for interceptor in routes.interceptors.iter().take(started).rev() {
            let ended = match &outcome {
                Ok(()) => match status.get() {
                    Some(ReplyStatus::UserException) => interceptor.receive_exception(&info, None),
                    Some(_) => interceptor.receive_reply(&info),
                    None => interceptor.receive_other(&info),
                },
                Err(Unfinished::Failed(exception)) => {
                    interceptor.receive_exception(&info, Some(exception))
                }
                Err(_) => interceptor.receive_other(&info),
            };
            if let Err(exception) = ended {
                outcome = Err(Unfinished::Failed(exception));
            }
        }
        outcome
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
