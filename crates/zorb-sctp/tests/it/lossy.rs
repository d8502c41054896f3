//! The conformance suite of transports, with one datagram of twenty lost.

use zorb_sctp::SciopProtocol;
use zorb_testkit::{Lossy, conformance::Subject};

zorb_testkit::conformance_suite!(Subject::new(
    Lossy::new(SciopProtocol::new()),
    "sciop://127.0.0.1:0"
));
