//! The same over a link of 155 Mbit/s, as ATM over OC-3 has: two hosts that are namespaces of this machine, and a token
//! bucket between them.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use zorb_os::process::bind_to_this_process;

use super::flood::{Done, LadderFlood, Sides};
use super::plan::LadderPlan;
use super::program::Program;
use crate::{Error, Result};

/// Octets per second that the link carries, headers included.
pub(super) const RATE: f64 = 155e6 / 8.0;

/// The two hosts.
const NETWORK: &str = "\
mount -t tmpfs tmpfs /run
ip netns add sender
ip netns add receiver
ip link add name out netns sender type veth peer name in netns receiver
ip -n sender addr add 10.0.0.1/24 dev out
ip -n receiver addr add 10.0.0.2/24 dev in
ip -n sender link set out up
ip -n receiver link set in up
tc -n sender qdisc add dev out root tbf rate 155mbit burst 32kb latency 50ms
ip netns exec sender true
ip netns exec receiver true
mkfifo /run/said
echo ready
";

/// Sends all floods; an inner error says why there is no such link.
pub(super) fn measure(
    program: &Program,
    plan: &LadderPlan,
    floods: &mut [LadderFlood],
) -> Result<Result<(), String>> {
    let mut script = NETWORK.to_owned();
    let total = plan.total_over_link();
    for _ in 0..plan.rounds() {
        for LadderFlood { engine, elements_of, buffer, .. } in floods.iter() {
            let what = format!("--engine {engine} --type {elements_of} --buffer {buffer}");
            let _ = writeln!(
                script,
                "ip netns exec receiver \"$PROGRAM\" receive --at 10.0.0.2:0 {what} > /run/said &
                exec 3< /run/said
                read -r address <&3
                ip netns exec sender \"$PROGRAM\" send --to \"$address\" --total {total} {what}
                read -r done <&3
                echo \"$done\"
                exec 3<&-
                wait $!"
            );
        }
    }
    let mut command = Command::new("unshare");
    command
        .args(["--user", "--map-root-user", "--mount", "--net", "--pid"])
        .args(["--fork", "--kill-child", "--mount-proc", "sh", "-e", "-c", &script])
        .env("PROGRAM", program.path())
        .stdin(Stdio::null());
    let output = match bind_to_this_process(&mut command).output() {
        Ok(output) => output,
        Err(error) => return Ok(Err(format!("unshare: {error}"))),
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let mut lines = output.stdout.split(|&octet| octet == b'\n');
    if lines.next() != Some(b"ready") {
        return Ok(Err(said.lines().next().unwrap_or("no reason given").to_owned()));
    }
    if !output.status.success() {
        return Err(Error::new(said.trim()).during("155 Mbit/s"));
    }
    for _ in 0..plan.rounds() {
        for flood in &mut *floods {
            let mut side = || Done::parse(lines.next().unwrap_or_default());
            flood.add(&Sides { sender: side()?, receiver: side()? });
        }
    }
    Ok(Ok(()))
}
