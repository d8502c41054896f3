//! Unix-domain sockets fulfil the contracts of the transport traits, with and without files.

use zorb_giop::{GiopLite, ProfileTag};
use zorb_testkit::conformance::Subject;
use zorb_transport::Composed;
use zorb_unix::{UiopProtocol, UnixTransport};

zorb_testkit::conformance_suite!(Subject::new(UnixTransport::new(), "uiop://"));

mod abstract_names {
    use super::*;

    zorb_testkit::conformance_suite!(Subject::new(UnixTransport::new(), "uiop://@"));
}

mod composed {
    use super::*;

    fn lite() -> Composed {
        Composed::new(&GiopLite, UiopProtocol::new(), ProfileTag::ZORB_LITE_UIOP)
    }

    zorb_testkit::conformance_suite!(Subject::new(lite().into_transport(), "lite+uiop://"));
}
