//! Metrics and probes by HTTP.

use std::collections::HashSet;
use std::net::TcpStream;
use std::sync::Arc;

use zorb_service::{Host, MetricKind};
use zorb_store::{Batch, MemoryStore, Store};

use crate::support::{ask, builder, get};

/// Checks metrics as `promtool check metrics` does. Returns the samples.
fn checked(text: &str) -> Vec<(&str, f64)> {
    let is_name = |name: &str| {
        name.starts_with("zorb_")
            && name.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_')
    };
    let (mut families, mut samples, mut series) = (HashSet::new(), Vec::new(), HashSet::new());
    let mut lines = text.lines().peekable();
    while let Some(help) = lines.next() {
        let (name, words) = help.strip_prefix("# HELP ").unwrap().split_once(' ').unwrap();
        assert!(is_name(name) && words.ends_with('.'), "{help}");
        assert!(families.insert(name), "{name} is there twice");
        let kind = lines.next().and_then(|line| line.strip_prefix("# TYPE ")).unwrap();
        let kind = kind.strip_prefix(name).unwrap().trim_start();
        assert_eq!(kind == "counter", name.ends_with("_total"), "{name} is a {kind}");
        assert!(matches!(kind, "gauge" | "counter"), "{name} is a {kind}");
        while let Some(sample) = lines.next_if(|line| !line.starts_with('#')) {
            let (of, value) = sample.rsplit_once(' ').unwrap();
            let (of_name, labels) = of.split_once('{').unwrap_or((of, "}"));
            assert!(of_name == name && labels.ends_with('}'), "{sample}");
            assert!(series.insert(of), "{of} is there twice");
            samples.push((of, value.parse().unwrap()));
        }
    }
    assert!(text.ends_with('\n'));
    samples
}

#[test]
fn metrics_are_those_of_prometheus() {
    let orb = builder().build().unwrap();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let host = Host::new(orb.clone()).unwrap().with_store(Arc::clone(&store));
    host.add_metrics(|metrics| {
        let servers: [&[(&str, &str)]; 2] = [&[("server", "a\"b")], &[("server", "c\nd")]];
        let samples = servers.map(|labels| (labels, 1.0));
        metrics.family(MetricKind::Gauge, "zorb_test_running", "Servers.", &samples);
    });
    let address = host.serve_metrics("0").unwrap();
    assert!(address.ip().is_loopback());
    host.start().unwrap();
    store.commit(Batch::new().put("test.one", [1], [2; 10])).unwrap();
    let (status, text) = get(address, "/metrics");
    assert_eq!(status, 200);
    let samples = checked(&text);
    let value = |name: &str| samples.iter().find(|(of, _)| *of == name).map(|(_, value)| *value);
    assert_eq!(value("zorb_store_batches_total"), Some(1.0));
    assert_eq!(value("zorb_store_size_bytes"), Some(11.0));
    assert_eq!(value("zorb_ready"), Some(1.0));
    assert_eq!(value("zorb_test_running{server=\"a\\\"b\"}"), Some(1.0));
    assert_eq!(get(address, "/none").0, 404);
    let (status, body) = ask(address, "HEAD /metrics HTTP/1.1\r\n\r\n");
    assert_eq!((status, body.as_str()), (200, ""));
    orb.shutdown(true).unwrap();
}

#[test]
fn probes_follow_the_life_of_the_server() {
    let orb = builder().build().unwrap();
    let host = Host::new(orb.clone()).unwrap();
    let address = host.serve_metrics("127.0.0.1:0").unwrap();
    assert_eq!(get(address, "/ready").0, 503);
    assert_eq!(get(address, "/live").0, 200);
    host.start().unwrap();
    assert_eq!(get(address, "/ready").0, 200);
    orb.drain();
    assert_eq!(get(address, "/ready"), (503, "the server is draining\n".to_owned()));
    assert_eq!(get(address, "/live").0, 200);
    orb.shutdown(true).unwrap();
    assert_eq!(get(address, "/ready").0, 503);
    let taken = Host::new(builder().build().unwrap()).unwrap();
    taken.serve_metrics(&address.to_string()).unwrap_err();
    taken.serve_metrics("nonsense").unwrap_err();
    taken.orb().shutdown(true).unwrap();
}

#[test]
fn hostile_requests_are_refused() {
    let host = Host::new(builder().build().unwrap()).unwrap();
    let address = host.serve_metrics("0").unwrap();
    let long = format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(9 << 10));
    assert_eq!(ask(address, &long).0, 431);
    assert_eq!(ask(address, "GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n").0, 403);
    assert_eq!(ask(address, "DELETE /metrics HTTP/1.1\r\n\r\n").0, 405);
    assert_eq!(ask(address, "\u{0}\r\n\r\n").0, 400);
    // One that closes at once, and others that never send a whole request.
    drop(TcpStream::connect(address).unwrap());
    let _silent: Vec<_> = (0..3).map(|_| TcpStream::connect(address).unwrap()).collect();
    assert_eq!(get(address, "/live").0, 200);
    host.orb().shutdown(true).unwrap();
}
