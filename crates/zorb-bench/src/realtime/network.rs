//! E8: a link that a client of low priority fills, and calls of high priority over it.

use std::fs::File;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

use super::bare::Bare;
use super::bed::{Bench, SHARED};
use super::finding::Finding;
use super::load::Load;
use super::turns::{Calls, Compared};
use crate::error::{Error, Result};

/// The most urgent of CORBA's priorities, which its network mapping makes expedited forwarding of.
const URGENT: i16 = i16::MAX;
/// What expedited forwarding is in an IP header.
const EXPEDITED_TOS: &str = "0xb8";
/// The two ends of the link.
const NEAR: &str = "10.213.77.1/30";
const FAR: &str = "10.213.77.2/30";
const FAR_HOST: &str = "10.213.77.2";

const LARGE: usize = 64 << 10;
const SMALL_WORK_US: u32 = 200;
const PERIOD: Duration = Duration::from_millis(5);
/// The link is full after this time, and empty.
const SETTLE: Duration = Duration::from_millis(600);

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let link = match Link::new() {
        Ok(link) => link,
        Err(reason) => return Ok(Finding::not_run(&format!("no link to fill: {reason}"))),
    };
    let mut finding = Finding::default();
    let found = measured(bench, &link, true)?;
    finding.compared("expedited", "high calls", &found);
    let what = "classes of the network from priorities: p99 of high calls over the full link, of \
                that over the free one";
    finding.at_most(what, 2.0, &found);
    let found = measured(bench, &link, false)?;
    finding.compared("best effort", "high calls", &found);
    finding.at_least("no classes of the network: the same", 5.0, &found);
    Ok(finding)
}

/// High calls while the link is free, and while it is full; connections have the classes of their
/// priorities, or none.
fn measured(bench: &Bench, link: &Link, classes: bool) -> Result<Compared> {
    let (server, client) = bench.over_network(&link.namespace, FAR_HOST, classes)?;
    let pool = server.lanes(&[(SHARED, 1), (URGENT, 1)])?;
    let worker = server.propagated(&pool, SHARED, &client)?;
    let data = vec![7; LARGE];
    let flood = Load::settling(SETTLE).with(&client, SHARED, |_| Ok(worker.flood(&data, 0)?));
    let calls = Calls {
        client: &client,
        priority: URGENT,
        count: bench.count(600, 160),
        period: PERIOD,
        call: &|| Ok(worker.work(-1, SMALL_WORK_US)?),
        bare: &Bare::beside(&server, &bench.transport, URGENT, SMALL_WORK_US)?,
        bare_every: 1,
    };
    calls.in_turns(bench, flood)
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
