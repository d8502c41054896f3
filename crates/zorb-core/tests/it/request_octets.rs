//! The limit of the octets of requests that wait for their replies.

use std::sync::mpsc;

use crate::support::{Echo, Servant, builder};
use zorb_core::poa::PoaPolicies;
use zorb_types::{CompletionStatus, SystemExceptionKind, minor};

#[test]
fn large_requests_beyond_the_limit_are_refused_and_small_ones_go_on() {
    // Sent from where they are, or copied.
    for (calls, threshold) in [("1", "1"), ("8", "1"), ("1", "1000000"), ("8", "1000000")] {
        let server = builder().listen("iiop://127.0.0.1:0").build().unwrap();
        let manager = server.create_poa_manager();
        let root = server.root_poa();
        let held = root.create_with_manager("held", PoaPolicies::new(), manager.clone()).unwrap();
        let [held, free] = [&held, &root].map(|poa| {
            let echo: Echo = poa.activate(Servant::default()).unwrap();
            echo.object().to_ior_string()
        });
        let client = builder().option("MaxCallsPerConnection", calls);
        let client = client.option("MaxRequestOctetsPerEndpoint", "200000");
        let client = client.option("CopyThreshold", threshold).build().unwrap();
        let [held, free] = [held, free].map(|ior| client.resolve::<Echo>(&ior).unwrap());
        let (ended, ends) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..5 {
                let (held, ended) = (&held, ended.clone());
                scope.spawn(move || ended.send(held.mirror(&[7; 80_000])));
            }
            // The manager holds the others.
            for _ in 0..3 {
                let refused = ends.recv().unwrap().unwrap_err();
                assert_eq!(refused.kind, SystemExceptionKind::Transient);
                assert_eq!(refused.minor, minor::transient::TOO_MANY_OCTETS);
                assert_eq!(refused.completed, CompletionStatus::No);
            }
            assert_eq!(free.mirror(&[8; 60_000]), Ok(vec![8; 60_000]));
            assert_eq!(free.twice(1), Ok(2));
            manager.activate().unwrap();
            for _ in 0..2 {
                assert_eq!(ends.recv().unwrap(), Ok(vec![7; 80_000]));
            }
        });
        // One larger request goes alone.
        assert_eq!(free.mirror(&[8; 300_000]), Ok(vec![8; 300_000]));
    }
}
