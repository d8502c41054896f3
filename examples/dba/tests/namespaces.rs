//! Four nodes, each on a host of its own, which is a network namespace of this machine.
//!
//! The tests need Linux's network namespaces and iproute2. Without these they are ignored, with the reason;
//! `REQUIRE_TOOLS=1` makes that a failure.
#![allow(clippy::unwrap_used, reason = "tests may")]

use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};

/// Hosts with a link each to this one, which forwards packets and has the registry.
const HOSTS: &str = "
mount -t tmpfs tmpfs /run
ip link set lo up
echo 1 > /proc/sys/net/ipv4/ip_forward
for id in 0 1 2 3; do
  ip netns add host$id
  ip link add name link$id type veth peer name eth0 netns host$id
  ip addr add 10.0.$id.1/24 dev link$id
  ip link set link$id up
  ip -n host$id addr add 10.0.$id.2/24 dev eth0
  ip -n host$id link set eth0 up
  ip -n host$id link set lo up
  ip -n host$id route add default via 10.0.$id.1
  ip netns exec host$id true
done
";

/// Starts the registry and the nodes, and prints the result.
const RUN: &str = r#"
"$PROGRAM" graph complete 4 > /run/graph
mkfifo /run/said
"$PROGRAM" registry /run/graph --colors 4 --host 10.0.0.1 > /run/said &
exec 3< /run/said
read -r url <&3
for id in 0 1 2 3; do
  ip netns exec host$id "$PROGRAM" node $id "$url" --host 10.0.$id.2 --over $OVER > /dev/null &
done
cat <&3
"#;

fn main() -> ExitCode {
    let missing = isolated(HOSTS, "").err();
    let required = std::env::var_os("REQUIRE_TOOLS").is_some_and(|value| value != "0");
    let trials = ["raw", "nano", "full"].map(|over| match &missing {
        None => Trial::test(over, move || colors(over)),
        Some(reason) if required => {
            let reason = reason.clone();
            Trial::test(over, || Err(reason.into()))
        }
        Some(reason) => {
            Trial::test(format!("{over} [{reason}]"), || Ok(())).with_ignored_flag(true)
        }
    });
    libtest_mimic::run(&Arguments::from_args(), trials.into()).exit_code()
}

/// Four nodes that are all neighbors get four colors.
fn colors(over: &str) -> Result<(), Failed> {
    let said = isolated(&[HOSTS, RUN].concat(), over)?;
    let is_there = |line: &&str| said.lines().any(|found| found.trim() == *line);
    let expected = ["graph       4 nodes, 6 edges, 4 colors", "conflicts   0"];
    if expected.iter().all(is_there) { Ok(()) } else { Err(said.into()) }
}

/// What a shell prints in namespaces of its own, where it may create others; what it starts ends with it.
fn isolated(script: &str, over: &str) -> Result<String, String> {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "--net", "--pid"]);
    command.args(["--fork", "--kill-child", "--mount-proc", "sh", "-e", "-c", script]);
    command.env("PROGRAM", env!("CARGO_BIN_EXE_dba")).env("OVER", over).stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("no unshare: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    if output.status.success() {
        return Ok(said.into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(format!("{} {said}", errors.lines().next().unwrap_or_default()))
}
