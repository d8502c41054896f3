//! The conformance suite of transports, over real UDP.

use zorb_arq::ArqTransport;
use zorb_testkit::conformance::Subject;

zorb_testkit::conformance_suite!(Subject::new(ArqTransport::new(), "rudp://127.0.0.1:0"));
