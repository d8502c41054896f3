//! The in-process transport keeps the promises of the traits.

use zorb_transport::conformance::Subject;
use zorb_transport::inproc::InprocTransport;

zorb_transport::conformance_suite!(Subject::new(InprocTransport::new(), "inproc://"));
