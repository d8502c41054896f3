//! Shared memory keeps the promises of the traits, at files and at names without, in small rings too.

use zorb_shm::ShmTransport;
use zorb_testkit::conformance::Subject;

zorb_testkit::conformance_suite!(Subject::new(ShmTransport::new(), "shmiop://"));

mod abstract_names {
    use super::*;

    zorb_testkit::conformance_suite!(Subject::new(ShmTransport::new(), "shmiop://@"));
}

mod small_rings {
    use super::*;

    zorb_testkit::conformance_suite!(Subject::new(
        ShmTransport::new().with_ring_size(4096),
        "shmiop://@"
    ));
}
