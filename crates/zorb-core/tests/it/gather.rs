//! Requests and replies whose octets are sent without a copy arrive intact.

use crate::support::{Echo, Servant, builder};

#[test]
fn octets_arrive_whatever_the_copy_threshold() {
    for threshold in ["1", "64", "2147483648"] {
        let server = builder().option("CopyThreshold", threshold).listen("iiop://127.0.0.1:0");
        let server = server.build().unwrap();
        let echo: Echo = server.root_poa().activate(Servant::default()).unwrap();
        let ior = echo.object().to_ior_string();
        let orb = builder().option("CopyThreshold", threshold).build().unwrap();
        let there: Echo = orb.resolve(&ior).unwrap();
        for size in [0, 1, 63, 64, 65, 5_000, 300_000] {
            let data: Vec<u8> = (0..size).map(|index| (index % 251) as u8).collect();
            assert_eq!(there.mirror(&data).unwrap(), data, "{size} octets from {threshold} on");
            assert_eq!(there.twice(21).unwrap(), 42);
        }
        // Inside the ORB nothing is sent.
        assert_eq!(echo.mirror(&[7; 100]).unwrap(), [7; 100]);
        orb.shutdown(true).unwrap();
        server.shutdown(true).unwrap();
    }
}
