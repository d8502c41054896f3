//! E8: high-priority calls over a link that low-priority clients saturate.

use std::fs::File;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

use super::bare::Bare;
use super::bed::{Bench, SHARED};
use super::finding::Finding;
use super::interleaved::{Calls, Compared};
use super::limit::Limit;
use super::load::Load;
use crate::error::{Error, Result};

/// The highest CORBA priority, which the network mapping maps to expedited forwarding.
const URGENT: i16 = i16::MAX;
/// Expedited forwarding as the type of service in IP headers.
const EXPEDITED_TOS: &str = "0xb8";
/// The two ends of the link.
const NEAR: &str = "10.213.77.1/30";
const FAR: &str = "10.213.77.2/30";
const FAR_HOST: &str = "10.213.77.2";

/// Clients that saturate the link. One is not enough: TCP small queues limit what a connection queues to
/// about a millisecond.
const FLOODS: usize = 8;
const LARGE: usize = 64 << 10;
const SMALL_WORK_US: u32 = 200;
const PERIOD: Duration = Duration::from_millis(5);
/// Time until the queue is full or empty.
const SETTLE: Duration = Duration::from_millis(600);

/// Queueing disciplines of the interface.
#[derive(Clone, Copy, Debug)]
enum Queue {
    /// Packets marked for expedited forwarding first.
    ByHeader,
    /// The system's own queue (`pfifo_fast`): packets by the priority that sockets have.
    BySocket,
    /// First in, first out (`pfifo`).
    InOrder,
}

/// Names, claims, queues, whether connections have network classes, and limits.
const CASES: [(&str, &str, Queue, bool, Limit); 4] = [
    (
        "expedited",
        "network classes from priorities: p99 of high-priority calls over the saturated link, \
         relative to p99 over the idle one",
        Queue::ByHeader,
        true,
        Limit::AtMost(2.0),
    ),
    ("best effort", "no network classes: the same", Queue::ByHeader, false, Limit::AtLeast(5.0)),
    (
        "pfifo_fast",
        "socket priorities from CORBA priorities, queueing discipline pfifo_fast: the same",
        Queue::BySocket,
        true,
        Limit::AtMost(2.0),
    ),
    (
        "pfifo",
        "the same socket priorities, queueing discipline pfifo (no priorities)",
        Queue::InOrder,
        true,
        Limit::AtLeast(5.0),
    ),
];

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let link = match Link::new() {
        Ok(link) => link,
        Err(reason) => return Ok(Finding::not_run(&format!("no test link: {reason}"))),
    };
    let mut finding = Finding::default();
    for (config, what, queue, classes, limit) in CASES {
        let found = measured(bench, &link, queue, classes, limit)?;
        finding.comparison(config, "high calls", what, &found);
    }
    Ok(finding)
}

/// High-priority calls while the link is idle and while it is saturated. Connections have the classes of
/// their priorities, or none. Bare threads use the same class and link.
fn measured(
    bench: &Bench,
    link: &Link,
    queue: Queue,
    classes: bool,
    limit: Limit,
) -> Result<Compared> {
    link.queue(queue)?;
    let (server, client) = bench.over_network(&link.namespace, FAR_HOST, classes)?;
    let pool = server.lanes(&[(SHARED, 1), (URGENT, 1)])?;
    let worker = server.propagated(&pool, SHARED, &client)?;
    let data = vec![7; LARGE];
    let flood = (0..FLOODS).fold(Load::settling(SETTLE), |load, _| {
        load.with(&client, SHARED, |_| Ok(worker.flood(&data, 0)?))
    });
    let bare = Bare::across(&server, FAR_HOST, classes, URGENT, SMALL_WORK_US)?;
    let call = || Ok(worker.work(-1, SMALL_WORK_US)?);
    let calls = Calls::new(&client, URGENT, &call, &bare).paced(bench.count(600, 160), PERIOD);
    calls.interleaved(bench, flood, limit)
}

/// A link of 50 Mbit/s to a network namespace with packets of normal size, because a packet cannot
/// overtake one that is being sent. It is removed when dropped.
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
        // From here on, dropping removes it.
        let link = match namespace {
            Ok(namespace) => Self { name: name.clone(), namespace: Arc::new(namespace) },
            Err(error) => {
                let _ = called("ip", &["netns", "del", &name]);
                return Err(error.into());
            }
        };
        let steps = format!(
            "ip link add {near} type veth peer name {far}
             ip link set {near} gso_max_segs 1 gso_max_size 1600
             ip link set {far} netns {name}
             ip addr add {NEAR} dev {near}
             ip link set {near} up
             ip -n {name} addr add {FAR} dev {far}
             ip -n {name} link set {far} up"
        );
        all_called(&steps)?;
        Ok(link)
    }

    /// Sets the queueing discipline of the near end.
    fn queue(&self, queue: Queue) -> Result<()> {
        let near = format!("{}a", self.name);
        // At first there is none.
        let _ = called("tc", &["qdisc", "del", "dev", &near, "root"]);
        let within = match queue {
            Queue::ByHeader => format!(
                "tc class add dev {near} parent 1:1 classid 1:10 htb rate 10mbit ceil 50mbit prio 0
                 tc class add dev {near} parent 1:1 classid 1:20 htb rate 40mbit ceil 50mbit prio 1
                 tc filter add dev {near} parent 1: protocol ip u32 match ip tos {EXPEDITED_TOS} \
                 0xfc flowid 1:10"
            ),
            Queue::BySocket => one_class(&near, "pfifo_fast"),
            Queue::InOrder => one_class(&near, "pfifo limit 1000"),
        };
        let steps = format!(
            "tc qdisc add dev {near} root handle 1: htb default 20
             tc class add dev {near} parent 1: classid 1:1 htb rate 50mbit
             {within}"
        );
        all_called(&steps)
    }
}

/// Commands for one class with this queue.
fn one_class(near: &str, kind: &str) -> String {
    format!(
        "tc class add dev {near} parent 1:1 classid 1:20 htb rate 50mbit
         tc qdisc add dev {near} parent 1:20 handle 20: {kind}"
    )
}

impl Drop for Link {
    fn drop(&mut self) {
        let _ = called("ip", &["link", "del", &format!("{}a", self.name)]);
        let _ = called("ip", &["netns", "del", &self.name]);
    }
}

/// Runs commands, one per line, all of which must succeed.
fn all_called(steps: &str) -> Result<()> {
    for step in steps.lines() {
        let words: Vec<&str> = step.split_ascii_whitespace().collect();
        if let [program, words @ ..] = words.as_slice() {
            called(program, words)?;
        }
    }
    Ok(())
}

/// Runs a command that must succeed.
fn called(program: &str, words: &[&str]) -> Result<()> {
    let failed =
        |reason: String| Err(Error::new(format!("{program} {}: {reason}", words.join(" "))));
    match Command::new(program).args(words).output() {
        Ok(Output { status, .. }) if status.success() => Ok(()),
        Ok(Output { stderr, .. }) => failed(String::from_utf8_lossy(&stderr).trim().to_owned()),
        Err(error) => failed(error.to_string()),
    }
}
