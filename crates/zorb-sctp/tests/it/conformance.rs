//! The conformance suite of transports, over real UDP.

use zorb_sctp::SctpTransport;
use zorb_testkit::conformance::Subject;

zorb_testkit::conformance_suite!(Subject::new(SctpTransport::new(), "sciop://127.0.0.1:0"));
