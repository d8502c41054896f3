//! The conformance suite of transports, with one datagram of twenty lost.

use zorb_arq::ArqProtocol;
use zorb_testkit::{conformance::Subject, lossy};

zorb_testkit::conformance_suite!(Subject::new(lossy(ArqProtocol::new()), "rudp://127.0.0.1:0"));
