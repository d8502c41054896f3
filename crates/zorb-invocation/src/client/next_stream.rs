//! The stream of the next call.

use std::sync::Arc;

use zorb_transport::Stream;
use zorb_types::SystemException;

use super::any_connection::AnyConnection;
use super::connect_time::ConnectTime;
use super::connection::Connection;
use super::effective::parameters;
use super::endpoint_cache::Wanted;
use super::interception::select_endpoint;
use super::selection::{Selection, select_connection};
use super::time_limit::TimeLimit;
use crate::object::ObjectRef;

/// The stream that the calling thread's next call of `object` would use; `None` if the object is in this ORB.
pub(crate) fn next_stream(object: &ObjectRef) -> Result<Option<Arc<dyn Stream>>, SystemException> {
    let core = object.core();
    core.check_running()?;
    let forwarded = object.forwarded();
    let target = forwarded.binding().unwrap_or_else(|| object.binding());
    let routes = target.routes(core)?;
    if routes.local.is_some() {
        return Ok(None);
    }
    let parameters = parameters(object)?;
    let deadline = TimeLimit::new(parameters.round_trip).deadline();
    let connect_time = ConnectTime::default();
    select_endpoint(object, target, routes, |info| {
        let wanted = Wanted::new(parameters.connect, core.options(), &connect_time, deadline);
        let selection = Selection { wanted, expects_reply: false, info };
        Ok(match select_connection(object, routes, &selection)?.1 {
            AnyConnection::Exclusive(mut call) => {
                call.connection().map(|it| Arc::clone(it.stream()))
            }
            AnyConnection::Multiplexed(call) => Some(Arc::clone(call.stream())),
        })
    })
}
