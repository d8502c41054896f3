//! Unix-domain sockets keep the promises of the traits, with files and without.

use zorb_transport::conformance::Subject;
use zorb_unix::UnixTransport;

zorb_transport::conformance_suite!(Subject::new(UnixTransport::new(), "uiop://"));

mod abstract_names {
    use super::*;

    zorb_transport::conformance_suite!(Subject::new(UnixTransport::new(), "uiop://@"));
}
