//! The network class of connections that serve one priority, by the system's packet counters.
//!
//! The test needs a network namespace, and class-based queues (HTB). Without the privilege or the tools for them, it is
//! ignored, with the reason.

use std::process::{Command, Output};
use std::sync::Arc;

use libtest_mimic::Trial;
use zorb_core::Orb;
use zorb_core::poa::PoaPolicies;
use zorb_rt::{LaneBuilder, LinearNetwork, Priority, RtOrb};
use zorb_tcp::IiopProtocol;

use crate::probe::{Fixed, Probe};

/// How many calls each lane gets.
const CALLS: u64 = 50;
/// Their priorities, and the classes that `LinearNetwork` makes of them: 10 and 46.
const PRIORITIES: [i16; 2] = [8192, 32767];

/// Tells this process to make the calls.
const INSIDE: &str = "TEST_IN_ITS_NETWORK";

/// Makes a network of its own whose only interface sorts packets by their class, runs `$0` in it,
/// and says how many packets of each class there were.
const SORTED: &str = "set -e
ip link set lo up
tc qdisc add dev lo root handle 1: htb default 1
for class in 1 2 3; do
  tc class add dev lo parent 1: classid 1:$class htb rate 1gbit quantum 60000
done
tc filter add dev lo parent 1: protocol ip prio 1 u32 match ip dsfield LOW_FIELD 0xfc flowid 1:2
tc filter add dev lo parent 1: protocol ip prio 1 u32 match ip dsfield HIGH_FIELD 0xfc flowid 1:3
echo sorted
\"$0\"
tc -s class show dev lo";

/// The test. In the network it makes the calls instead.
pub(crate) fn trial() -> Option<Trial> {
    if std::env::var_os(INSIDE).is_some() {
        calls_of_two_priorities();
        return None;
    }
    let name = "classes::the_system_counts_packets_in_their_classes";
    Some(match missing() {
        None => Trial::test(name, || {
            the_system_counts_packets_in_their_classes();
            Ok(())
        }),
        Some(reason) => {
            Trial::test(format!("{name} ({reason})"), || Ok(())).with_ignored_flag(true)
        }
    })
}

/// The octet of IP's header for the class of a priority.
fn field(priority: i16) -> u8 {
    let class = zorb_rt::NetworkPriorityMapping::to_network(&LinearNetwork, number(priority));
    class.dscp.unwrap() << 2
}

/// Runs a program in the network.
fn within(program: &str) -> std::io::Result<Output> {
    let [low, high] = PRIORITIES.map(|priority| format!("{:#04x}", field(priority)));
    let script = SORTED.replace("LOW_FIELD", &low).replace("HIGH_FIELD", &high);
    let mut command = Command::new("unshare");
    command.args(["--net", "sh", "-c", &script, program]).env(INSIDE, "1").output()
}

/// Why the network cannot be created.
fn missing() -> Option<String> {
    match within("true") {
        Ok(output) if output.stdout.starts_with(b"sorted\n") => None,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.lines().next().unwrap_or("it says nothing").to_owned();
            Some(format!("no network of its own with HTB: {said}"))
        }
        Err(error) => Some(format!("no unshare: {error}")),
    }
}

fn number(value: i16) -> Priority {
    Priority::new(value).unwrap()
}

fn calls_of_two_priorities() {
    let side = || {
        let orb = Orb::builder().without_environment().protocol(Arc::new(IiopProtocol::new()));
        let orb = orb.listen("iiop://127.0.0.1:0").build().unwrap();
        let rt = RtOrb::builder().network(LinearNetwork).attach(&orb).unwrap();
        (orb, rt)
    };
    let ((server, server_rt), (client, client_rt)) = (side(), side());
    let lanes = PRIORITIES.map(|priority| LaneBuilder::new(number(priority), 1));
    let pool = lanes.into_iter().fold(server_rt.threadpool("lanes"), |pool, lane| pool.lane(lane));
    let pool = pool.create().unwrap();
    let model = server_rt.client_propagated(number(PRIORITIES[0]));
    let policies = PoaPolicies::new().with(model).with(pool.policy());
    let poa = server.root_poa().create("lanes", policies).unwrap();
    let here: Probe = poa.activate(Fixed).unwrap();
    let there: Probe = client.resolve(&here.0.to_ior_string()).unwrap();
    for priority in PRIORITIES {
        client_rt.current().set_priority(number(priority)).unwrap();
        for _ in 0..CALLS {
            assert_eq!(there.answer().unwrap(), 42);
        }
    }
}

/// The packets that the system counted in a class.
fn packets(shown: &str, class: &str) -> u64 {
    let begin = format!("class htb {class} ");
    let mut lines = shown.lines().skip_while(|line| !line.starts_with(&begin));
    let sent = lines.nth(1).unwrap_or_default().split_whitespace();
    sent.skip_while(|word| *word != "bytes")
        .nth(1)
        .and_then(|count| count.parse().ok())
        .unwrap_or(0)
}

fn the_system_counts_packets_in_their_classes() {
    let program = std::env::current_exe().unwrap();
    let output = within(program.to_str().unwrap()).unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{shown}{}", String::from_utf8_lossy(&output.stderr));
    // Each call is one packet in each direction; packets without a class open connections.
    for class in ["1:2", "1:3"] {
        assert!(packets(&shown, class) >= 2 * CALLS, "{class}: {shown}");
    }
}
