//! The conformance suite of transports, with one datagram of twenty lost.

use zorb_arq::ArqProtocol;
use zorb_testkit::{Lossy, conformance::Subject};

zorb_testkit::conformance_suite!(Subject::new(
    Lossy::new(ArqProtocol::new()),
    "rudp://127.0.0.1:0"
));
