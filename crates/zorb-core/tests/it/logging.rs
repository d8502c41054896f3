//! What peers cause at will is logged at most once a second.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use zorb_testkit::in_own_process;

use crate::support::{Acting, Echo, builder, client};

/// How often each thing happens: more often than a second passes.
const TIMES: usize = 300;

/// What was logged: the message, and how many were left out before.
type Lines = Vec<(String, u64)>;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Lines>>);

impl tracing::Subscriber for Log {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::INFO
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        self.0.lock().unwrap().push((line.message, line.unlogged));
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[derive(Default)]
struct Line {
    message: String,
    unlogged: u64,
}

impl Visit for Line {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "unlogged" {
            self.unlogged = value;
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        }
    }
}

#[test]
fn a_flood_of_failures_is_no_flood_of_lines() {
    in_own_process("logging::a_flood_of_failures_is_no_flood_of_lines", || {
        let log = Log::default();
        tracing::subscriber::set_global_default(log.clone()).unwrap();
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
        let lines = log.0.lock().unwrap().clone();
        for what in ["the servant panicked", "protocol error"] {
            let of_this = || lines.iter().filter(|(message, _)| message == what);
            let (logged, unlogged) =
                (of_this().count(), of_this().map(|(_, unlogged)| unlogged).sum::<u64>());
            assert!((1..TIMES / 2).contains(&logged), "{what}: {logged}");
            assert!(logged as u64 + unlogged <= TIMES as u64, "{what}: {unlogged}");
        }
        server.shutdown(true).unwrap();
    });
}
