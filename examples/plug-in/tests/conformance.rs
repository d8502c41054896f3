//! The plugged-in protocols pass the same suites as Zorb's own.

mod transport {
    use plug_in::hail::HailTransport;
    use zorb_testkit::conformance::Subject;

    zorb_testkit::conformance_suite!(Subject::new(HailTransport::default(), "hail://127.0.0.1:0"));
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

/// The transport's option behaves like the ORB's own options.
#[test]
fn a_server_that_says_nothing_is_given_up() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("corbaloc:hail:{}/nobody", silent.local_addr().unwrap());
    let builder = || plug_in::plug_in(zorb::Orb::builder().without_environment());
    let client = builder().arguments(&mut vec!["-ORBHailTimeout", "2"]).build().unwrap();
    let error = client.string_to_object(&url).unwrap().unwrap().non_existent().unwrap_err();
    let failure = format!("{error:?}");
    assert!(failure.contains("no hail within 2ms"), "{failure}");
    let error = builder().option("HailTimeout", "0").build().unwrap_err();
    assert!(error.to_string().contains("HailTimeout"), "{error}");
    let unknown = zorb::Orb::builder().without_environment().option("HailTimeout", "2").build();
    assert!(unknown.unwrap_err().to_string().contains("unknown option"));
}
