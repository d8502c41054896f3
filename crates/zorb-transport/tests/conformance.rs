//! The in-process transport, alone and with GIOPlite, passes the conformance suite of transports.

use zorb_testkit::conformance::Subject;
use zorb_transport::inproc::InprocTransport;

zorb_testkit::conformance_suite!(Subject::new(InprocTransport::new(), "inproc://"));

mod composed {
    use zorb_giop::{GiopLite, ProfileTag};
    use zorb_testkit::conformance::Subject;
    use zorb_transport::Composed;
    use zorb_transport::inproc::{InprocProtocol, InprocTransport};

    fn composed() -> Composed {
        let inproc = InprocProtocol::new(InprocTransport::new());
        Composed::new(&GiopLite, inproc, ProfileTag(0x7a6c_6974))
    }

    zorb_testkit::conformance_suite!(Subject::new(composed().into_transport(), "lite+inproc://"));
}
