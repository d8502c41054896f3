//! The end times of requests in the service context of CORBA Messaging: JacORB's servers refuse expired requests, and
//! omniORB's ignore the context.

use std::sync::Arc;
use std::time::Duration;

use zorb::giop::ServiceId;
use zorb::interceptor::{ClientRequestInfo, ClientRequestInterceptor};
use zorb::{Orb, SendEndTimes, SystemException, SystemExceptionKind};
use zorb_interop_tests::interop::Suite;

use crate::outcome::Outcome;
use crate::pairings::{Pairing, start_server};
use crate::peers::{JACORB, Peer};

/// Adds a request end time in 1582.
#[derive(Debug)]
struct Past;

impl ClientRequestInterceptor for Past {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let mut context = vec![0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 28, 0, 0, 0, 24];
        context.resize(40, 0);
        // A unit after the beginning of time, because JacORB takes 0 for none.
        context[31] = 1;
        info.add_request_service_context(ServiceId::INVOCATION_POLICIES, &context, false)
    }
}

/// Calls a server of `peer` with an end time in the future, and with one in the past.
pub(crate) fn zorb_client(pairing: &Pairing, peer: Peer) -> Result<Vec<Outcome>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (process, reference) = start_server(Some(peer), 2, folder.path(), &[])?;
    let builder = || Orb::builder().without_environment();
    let timely = builder().send_end_times(SendEndTimes::All);
    let timely = timely.round_trip_timeout(Duration::from_secs(300)).build();
    let timely = timely.map_err(|error| error.to_string())?;
    let suite: Suite = timely.resolve(&reference).map_err(|error| error.to_string())?;
    let served = suite.peer().map(drop).map_err(|error| error.to_string());
    let late = builder().build().map_err(|error| error.to_string())?;
    late.add_client_request_interceptor("past", |_| Some(Arc::new(Past)));
    let refused = late.resolve::<Suite>(&reference).map_err(|error| error.to_string())?.peer();
    let is_timeout =
        |error: &SystemException| peer == JACORB && error.kind == SystemExceptionKind::Timeout;
    let refused = match refused {
        Err(error) if is_timeout(&error) => Ok(()),
        Ok(_) if peer != JACORB => Ok(()),
        other => Err(format!("an expired request: {other:?}")),
    };
    late.shutdown(true).map_err(|error| error.to_string())?;
    let mut outcomes =
        vec![pairing.checked("in_time", served), pairing.checked("expired", refused)];
    outcomes.extend(pairing.ended(&timely, &suite, process));
    Ok(outcomes)
}
