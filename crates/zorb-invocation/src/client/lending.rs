//! Connections that lend buffers.

use std::sync::Arc;

use zorb_transport::Stream;
use zorb_types::SystemException;

use super::connection::{AnyConnection, Connection};
use super::effective::parameters;
use super::interception::select_endpoint;
use super::selection::{Selection, select_connection};
use super::time_limit::TimeLimit;
use crate::object::ObjectRef;

/// What the calling thread's next call of `object` would go over; `None` when it would not leave this
/// ORB.
pub(crate) fn connection_of(
    object: &ObjectRef,
) -> Result<Option<Arc<dyn Stream>>, SystemException> {
    let core = object.core();
    core.check_running()?;
    let forwarded = object.forwarded();
    let target = forwarded.binding().unwrap_or_else(|| object.binding());
    let routes = target.routes(core);
    if routes.local.is_some() {
        return Ok(None);
    }
    let parameters = parameters(object);
    let deadline = TimeLimit::new(parameters.round_trip).deadline();
    select_endpoint(object, target, routes, |info| {
        let connect_timeout = parameters.connect;
        let selection = Selection { connect_timeout, expects_reply: false, deadline, info };
        Ok(match select_connection(object, routes, &selection)?.1 {
            AnyConnection::Exclusive(lease) => lease.stream().cloned(),
            AnyConnection::Shared(call) => call.stream().cloned(),
        })
    })
}
