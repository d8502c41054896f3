//! Host names are looked up within the time to connect.

use std::io::ErrorKind;
use std::time::Duration;

use zorb::protocols::{ArqProtocol, DiopProtocol, IiopProtocol, SciopProtocol};
use zorb::transport::{ConnectOptions, ConnectPhase, Protocol};

#[test]
fn no_name_is_looked_up_when_the_time_to_connect_is_over() {
    let protocols: [&dyn Protocol; 4] =
        [&IiopProtocol::new(), &DiopProtocol::new(), &ArqProtocol::new(), &SciopProtocol::new()];
    for protocol in protocols {
        let transport = protocol.transport();
        let url = format!("{}://host.invalid:9", transport.scheme());
        let endpoint = transport.parse_endpoint(&url).unwrap();
        let options = ConnectOptions::with_timeout(Some(Duration::ZERO));
        let error = transport.connect(&endpoint, &options).unwrap_err();
        assert_eq!(error.phase(), ConnectPhase::Resolve, "{error}");
        assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
    }
}
