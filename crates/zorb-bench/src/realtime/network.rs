//! E8: a link that a client of low priority fills, and calls of high priority over it.

use std::fs::File;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use zorb::Interface as _;
use zorb::giop::ProfileTag;
use zorb::policy::{ClientProtocols, ConnectionProperties, Policies, ProtocolChoice};

use super::bed::{Bench, HIGH, Host, SHARED, joined};
use super::finding::{Finding, rounded};
use super::times::{Sample, Times, ratio};
use crate::error::{Error, Result};
use crate::stubs::real_time::Worker;

/// The class of expedited forwarding, and what it is in an IP header.
const EXPEDITED: u8 = 46;
const EXPEDITED_TOS: &str = "0xb8";
/// The two ends of the link.
const NEAR: &str = "10.213.77.1/30";
const FAR: &str = "10.213.77.2/30";
const FAR_HOST: &str = "10.213.77.2";

const LARGE: usize = 64 << 10;
const SMALL_WORK_US: u32 = 200;
const PERIOD: Duration = Duration::from_millis(5);

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let link = match Link::new() {
        Ok(link) => link,
        Err(reason) => return Ok(Finding::not_run(&format!("no link to fill: {reason}"))),
    };
    let mut finding = Finding::default();
    let found = measured(bench, &link, &mut finding, "expedited", Some(EXPEDITED))?;
    finding.check(
        "expedited forwarding: p99 of high calls over the full link, of that over the free one",
        "at most 2 times",
        rounded(found),
        found <= 2.0,
    );
    let found = measured(bench, &link, &mut finding, "best effort", None)?;
    finding.control(
        "no class of service: the same",
        "at least 5 times",
        rounded(found),
        found >= 5.0,
    );
    Ok(finding)
}

/// How many times as long the high calls take while the link is full.
fn measured(
    bench: &Bench,
    link: &Link,
    finding: &mut Finding,
    name: &str,
    dscp: Option<u8>,
) -> Result<f64> {
    let server = bench.server_in(&link.namespace, FAR_HOST)?;
    let client = bench.client(&[])?;
    let pool = server.lanes(&[(SHARED, 1), (HIGH, 1)])?;
    let low = server.propagated(&pool, SHARED, &client)?;
    let mut properties = ConnectionProperties::default();
    properties.dscp = dscp;
    let choice = ProtocolChoice { profile: ProfileTag::INTERNET_IOP, properties: Some(properties) };
    let high = low.with_policies(&Policies::new().with(ClientProtocols::new([choice])))?;
    let calls = bench.count(2_000, 200);
    let free = bench.times(&client.at(HIGH, || high_calls(&high, calls))?);
    let full = over_a_full_link(bench, &client, &low, &high, calls)?;
    finding.times(&format!("{name}, free link"), "high calls", &free);
    finding.times(&format!("{name}, full link"), "high calls", &full);
    let found = ratio(full.p99(), free.p99());
    finding.measure(&format!("{name} p99_ratio").replace(' ', "_"), rounded(found));
    Ok(found)
}

fn over_a_full_link(
    bench: &Bench,
    client: &Host,
    low: &Worker,
    high: &Worker,
    calls: usize,
) -> Result<Times> {
    let stop = AtomicBool::new(false);
    let samples = std::thread::scope(|scope| {
        let flood = client.thread(scope, SHARED, || {
            let data = vec![7; LARGE];
            while !stop.load(Ordering::Relaxed) {
                low.flood(&data, 0)?;
            }
            Ok(())
        });
        // The link is full when its queue is.
        std::thread::sleep(Duration::from_millis(200));
        let samples = client.at(HIGH, || high_calls(high, calls));
        stop.store(true, Ordering::Relaxed);
        joined(flood.join())?;
        samples
    })?;
    Ok(bench.times(&samples))
}

fn high_calls(worker: &Worker, calls: usize) -> Result<Vec<Sample>> {
    worker.work(-1, 0)?;
    let mut samples = Vec::with_capacity(calls);
    for _ in 0..calls {
        let (sample, done) = Sample::of(|| worker.work(-1, SMALL_WORK_US));
        done?;
        samples.push(sample);
        std::thread::sleep(PERIOD);
    }
    Ok(samples)
}

/// A link of 50 Mbit to a network namespace, where packets of expedited forwarding come first. It is
/// gone when dropped.
#[derive(Debug)]
struct Link {
    name: String,
    namespace: Arc<File>,
}

impl Link {
    fn new() -> Result<Self> {
        let name = format!("zorb{}", std::process::id());
        let (near, far) = (format!("{name}a"), format!("{name}b"));
        called("ip", &["netns", "add", &name])?;
        let namespace = File::open(format!("/run/netns/{name}"))
            .or_else(|_| File::open(format!("/var/run/netns/{name}")));
        // From here on it is taken away again.
        let link = match namespace {
            Ok(namespace) => Self { name: name.clone(), namespace: Arc::new(namespace) },
            Err(error) => {
                let _ = called("ip", &["netns", "del", &name]);
                return Err(error.into());
            }
        };
        let steps = format!(
            "ip link add {near} type veth peer name {far}
             ip link set {far} netns {name}
             ip addr add {NEAR} dev {near}
             ip link set {near} up
             ip -n {name} addr add {FAR} dev {far}
             ip -n {name} link set {far} up
             tc qdisc add dev {near} root handle 1: htb default 20
             tc class add dev {near} parent 1: classid 1:1 htb rate 50mbit
             tc class add dev {near} parent 1:1 classid 1:10 htb rate 10mbit ceil 50mbit prio 0
             tc class add dev {near} parent 1:1 classid 1:20 htb rate 40mbit ceil 50mbit prio 1
             tc filter add dev {near} parent 1: protocol ip u32 match ip tos {EXPEDITED_TOS} 0xfc \
             flowid 1:10"
        );
        for step in steps.lines() {
            let words: Vec<&str> = step.split_ascii_whitespace().collect();
            if let [program, words @ ..] = words.as_slice() {
                called(program, words)?;
            }
        }
        Ok(link)
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let _ = called("ip", &["link", "del", &format!("{}a", self.name)]);
        let _ = called("ip", &["netns", "del", &self.name]);
    }
}

/// Runs a program that has to succeed.
fn called(program: &str, words: &[&str]) -> Result<()> {
    let failed =
        |reason: String| Err(Error::new(format!("{program} {}: {reason}", words.join(" "))));
    match Command::new(program).args(words).output() {
        Ok(Output { status, .. }) if status.success() => Ok(()),
        Ok(Output { stderr, .. }) => failed(String::from_utf8_lossy(&stderr).trim().to_owned()),
        Err(error) => failed(error.to_string()),
    }
}
