//! TCP keeps the promises of the traits, over IPv4 and over a name.

use zorb_tcp::TcpTransport;
use zorb_transport::conformance::Subject;

zorb_transport::conformance_suite!(Subject::new(TcpTransport::new(), "iiop://127.0.0.1:0"));

mod by_name {
    use super::*;

    zorb_transport::conformance_suite!(Subject::new(TcpTransport::new(), "iiop://localhost"));
}

mod all_interfaces {
    use super::*;

    zorb_transport::conformance_suite!(Subject::new(TcpTransport::new(), "iiop://"));
}
