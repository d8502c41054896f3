//! What peers cause at will is logged at most once a second.

use std::io::{Read, Write};
use std::net::TcpStream;

use zorb_testkit::{Log, LogLine, in_own_process};

use crate::support::{Acting, Echo, builder, client};

/// How often each thing happens: more often than a second passes.
const TIMES: usize = 300;

#[test]
fn a_flood_of_failures_is_no_flood_of_lines() {
    in_own_process("logging::a_flood_of_failures_is_no_flood_of_lines", || {
        let log = Log::of_process();
        std::panic::set_hook(Box::new(|_| {}));
        let server = builder().listen("iiop://127.0.0.1:0").build().unwrap();
        let echo: Echo = server.root_poa().activate(Acting(|_| panic!("by the test"))).unwrap();
        let (_client, echo) = client(&echo);
        let address = server.endpoints()[0].trim_start_matches("iiop://").to_owned();
        for _ in 0..TIMES {
            assert!(echo.twice(0).is_err());
            let mut stream = TcpStream::connect(&address).unwrap();
            stream.write_all(b"no message of any kind").unwrap();
            let _ = stream.read_to_end(&mut Vec::new());
        }
        let lines = log.lines();
        for what in ["the servant panicked", "protocol error"] {
            let of_this = || lines.iter().filter(|line| line.message == what);
            let unlogged = |line: &LogLine| line.field("unlogged")?.parse::<u64>().ok();
            let (logged, unlogged) =
                (of_this().count(), of_this().filter_map(unlogged).sum::<u64>());
            assert!((1..TIMES / 2).contains(&logged), "{what}: {logged}");
            assert!(logged as u64 + unlogged <= TIMES as u64, "{what}: {unlogged}");
        }
        server.shutdown(true).unwrap();
    });
}
