//! Floods of connections in a process with little address space.

use std::io::Read;
use std::net::TcpStream;

use zorb_base::process_limits::{max_connections, max_threads};
use zorb_testkit::{in_own_process, limit_address_space};
use zorb_types::SystemExceptionKind;

use crate::support::{Acting, Echo, builder};

/// More than the process has threads for.
const CLIENTS: usize = 500;
const CLOSE_CONNECTION: u8 = 5;

/// Whether a client has received CloseConnection.
fn is_closed(client: &mut TcpStream) -> bool {
    let mut octets = [0; 12];
    client.set_nonblocking(true).unwrap();
    client.read_exact(&mut octets).is_ok() && octets[7] == CLOSE_CONNECTION
}

#[test]
fn a_flood_of_silent_connections_does_not_exhaust_the_address_space() {
    let name = "flood::a_flood_of_silent_connections_does_not_exhaust_the_address_space";
    in_own_process(name, || {
        limit_address_space(600 << 20);
        let server = builder().listen("iiop://127.0.0.1:0").build().unwrap();
        let echo: Echo = server.root_poa().activate(Acting(Ok)).unwrap();
        assert!(max_threads() < CLIENTS && max_connections() < max_threads());
        let address = server.endpoints()[0].trim_start_matches("iiop://").to_owned();
        let mut clients: Vec<_> =
            (0..CLIENTS).map(|_| TcpStream::connect(&address).unwrap()).collect();
        // After all others. It may have to retry while the evicted connections are closing.
        let client = builder().build().unwrap();
        let echo: Echo = client.resolve(&echo.object().to_ior_string()).unwrap();
        let result = loop {
            match echo.twice(4) {
                Err(error) if error.kind == SystemExceptionKind::Transient => {}
                result => break result,
            }
        };
        assert_eq!(result.unwrap(), 4);
        let mut closed = 0;
        while closed < CLIENTS - max_connections() {
            clients.retain_mut(|client| !is_closed(client));
            closed = CLIENTS - clients.len();
            std::thread::yield_now();
        }
        assert_eq!(echo.twice(5).unwrap(), 5);
        server.shutdown(true).unwrap();
    });
}
