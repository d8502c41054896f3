//! The end times of requests.

use zorb_base::interceptor::{checking_end_times, sending_end_times};
use zorb_base::options::SendEndTimes;
use zorb_base::policy::ServeInTime;
use zorb_invocation::client::look_for_policies;

use super::handle::Orb;

/// Makes the ORB send the end times of its requests where that is asked for, and look at those of requests where the
/// policy [`ServeInTime`] says so.
pub(super) fn use_end_times(orb: &Orb) {
    let name = ServeInTime::NAME;
    let to_all = orb.options().send_end_times == SendEndTimes::All;
    orb.policy_manager().register_policy::<ServeInTime>();
    orb.add_client_request_interceptor(name, move |policies| sending_end_times(policies, to_all));
    orb.add_server_request_interceptor(name, |policies| {
        let checks = checking_end_times(policies)?;
        // Calls of its upcalls have the remaining time.
        look_for_policies();
        Some(checks)
    });
}
