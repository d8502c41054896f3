//! Shared memory fulfils the contracts of the transport traits, with files and abstract names, and
//! with small rings.

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
