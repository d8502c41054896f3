//! TCP fulfils the contracts of the transport traits, over IPv4 and over a host name.

use zorb_giop::{GiopLite, ProfileTag};
use zorb_tcp::{IiopProtocol, TcpTransport};
use zorb_testkit::conformance::Subject;
use zorb_transport::Composed;

zorb_testkit::conformance_suite!(Subject::new(TcpTransport::new(), "iiop://127.0.0.1:0"));

mod by_name {
    use super::*;

    zorb_testkit::conformance_suite!(Subject::new(TcpTransport::new(), "iiop://localhost"));
}

mod all_interfaces {
    use super::*;

    zorb_testkit::conformance_suite!(Subject::new(TcpTransport::new(), "iiop://"));
}

mod composed {
    use super::*;

    fn lite() -> Composed {
        Composed::new(&GiopLite, IiopProtocol::new(), ProfileTag::ZORB_LITE_IIOP)
    }

    zorb_testkit::conformance_suite!(Subject::new(
        lite().into_transport(),
        "lite+iiop://127.0.0.1:0"
    ));
}
