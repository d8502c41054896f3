//! The plugged-in protocols pass the suites that Zorb's own pass.

mod transport {
    use plug_in::hail::HailTransport;
    use zorb::transport::conformance::Subject;

    zorb::transport::conformance_suite!(Subject::new(HailTransport, "hail://127.0.0.1:0"));
}

mod hail {
    use zorb_conformance::{Subject, protocol_suite};

    protocol_suite!(Subject::built("hail://127.0.0.1:0", plug_in::plug_in));
}

mod brief_hail {
    use zorb_conformance::{Subject, protocol_suite};

    protocol_suite!(Subject::built("brief+hail://127.0.0.1:0", plug_in::plug_in));
}

mod brief_iiop {
    use zorb_conformance::{Subject, protocol_suite};

    protocol_suite!(Subject::built("brief+iiop://127.0.0.1:0", plug_in::plug_in));
}
