//! The suite of transports, with one datagram of twenty lost.

use zorb_arq::ArqProtocol;
use zorb_transport::conformance::{Lossy, Subject};

zorb_transport::conformance_suite!(Subject::new(Lossy(ArqProtocol::new()), "rudp://127.0.0.1:0"));
