//! ORBs whose process is out of descriptors.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr};

use socket2::{Domain, Socket, Type};
use zorb::{CompletionStatus, ObjectRef, Orb, SystemExceptionKind, minor};
use zorb_testkit::{exhaust_descriptors, in_own_process};

const ENDPOINTS: [&str; 3] = ["iiop://127.0.0.1:0", "uiop://", "shmiop://"];
const LOCATE_REPLY: u8 = 4;
/// A LocateRequest of GIOP 1.0 for an object that does not exist.
const LOCATE_REQUEST: &[u8] = b"GIOP\x01\x00\x01\x03\x0c\0\0\0\x07\0\0\0\x04\0\0\0none";

fn server(endpoint: &str) -> Orb {
    Orb::builder().without_environment().listen(endpoint).build().unwrap()
}

/// A client's reference to an object that the server does not have.
fn object(client: &Orb, server: &Orb) -> ObjectRef {
    let endpoint = &server.endpoints()[0];
    let (scheme, address) = endpoint.split_once("://").unwrap();
    let separator = if address.starts_with('/') { '|' } else { '/' };
    let object =
        client.string_to_object(&format!("corbaloc:{scheme}:1.2@{address}{separator}none"));
    object.unwrap().unwrap()
}

#[test]
fn a_client_without_descriptors_says_so() {
    in_own_process("descriptors::a_client_without_descriptors_says_so", || {
        for endpoint in ENDPOINTS {
            let server = server(endpoint);
            let client = Orb::builder().without_environment().build().unwrap();
            let object = object(&client, &server);
            let all = exhaust_descriptors();
            let exception = object.non_existent().unwrap_err();
            drop(all);
            assert_eq!(exception.kind, SystemExceptionKind::NoResources, "{exception}");
            assert_eq!(exception.minor, minor::no_resources::DESCRIPTORS, "{exception}");
            assert_eq!(exception.completed, CompletionStatus::No);
            assert_eq!(object.non_existent(), Ok(true));
            server.shutdown(true).unwrap();
        }
    });
}

#[test]
fn a_server_without_descriptors_closes_its_idle_connections_to_others() {
    let name = "descriptors::a_server_without_descriptors_closes_its_idle_connections_to_others";
    in_own_process(name, || {
        let [server, other] = [(); 2].map(|()| server(ENDPOINTS[0]));
        assert_eq!(object(&server, &other).non_existent(), Ok(true));
        let address: SocketAddr =
            server.endpoints()[0].trim_start_matches("iiop://").parse().unwrap();
        let [first, second] =
            [(); 2].map(|()| Socket::new(Domain::IPV4, Type::STREAM, None).unwrap());
        let is_served = |mut client: &Socket| {
            client.connect(&address.into()).unwrap();
            client.write_all(LOCATE_REQUEST).unwrap();
            let mut reply = [0; 20];
            client.read_exact(&mut reply).is_ok() && reply[7] == LOCATE_REPLY
        };
        // From then on the server has its spare descriptor, and no connection.
        assert!(is_served(&first));
        first.shutdown(Shutdown::Write).unwrap();
        assert_eq!((&first).read(&mut [0; 20]).unwrap(), 0);
        let all = exhaust_descriptors();
        assert!(is_served(&second));
        drop(all);
        server.shutdown(true).unwrap();
        other.shutdown(true).unwrap();
    });
}
