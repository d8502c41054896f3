#![allow(clippy::unwrap_used)]

use super::*;

fn parse_line(line: &str) -> Result<(Command, Options), Failure> {
    parse(line.split_ascii_whitespace().map(str::to_owned))
}

#[test]
fn a_node_gets_the_options_of_the_run() {
    let full = "--over full --memo --threads per-connection";
    let threads = "--over nano --threads per-connection";
    let pending = "--calls pending --sync transport";
    let edges =
        ["--over nano --connections one", "--over nano --connections two", "--connections one"];
    let ways = [
        "--over raw --memo --threads per-connection",
        "--sync buffered",
        "--over nano --memo --lookup linear",
        full,
        threads,
    ];
    let transports = ["--transport uiop", "--transport shmiop --threads per-connection"];
    for way in ways.into_iter().chain([pending]).chain(edges).chain(transports) {
        let run = format!(
            "run g --sync none {way} --no-segments --processor 5 --host ::1 --time-limit 7"
        );
        let (_, options) = parse_line(&run).unwrap();
        let node = format!("node 3 url {}", options.of_node().join(" "));
        let expected = Command::Node { id: 3, registry: "url".to_owned() };
        assert_eq!(parse_line(&node).unwrap(), (expected, options));
    }
}

#[test]
fn a_node_sends_to_the_group_of_the_run() {
    for way in ["--threads per-connection", "--over raw --alternate-segments"] {
        let (_, options) = parse_line(&format!("run g --calls group {way}")).unwrap();
        let node = format!("node 3 url {}", options.of_node().join(" "));
        assert_eq!(parse_line(&node).unwrap().1, options);
    }
}

#[test]
fn errors_say_what_is_wrong() {
    for (line, message) in [
        ("", "a command is missing"),
        ("go", "there is no command go"),
        ("run", "run needs the file of one graph"),
        ("node 1", "node needs its ID and the REGISTRY's URL"),
        ("graph", "graph needs complete N, or mesh W H"),
        ("graph mesh 5", "graph needs complete N, or mesh W H"),
        ("run g --fast", "there is no option --fast"),
        ("run g --over tcp", "--over is raw, nano or full, not tcp"),
        ("run g --threads 2", "--threads is one or per-connection, not 2"),
        ("run g --sync half", "--sync is none, buffered or transport, not half"),
        ("run g --calls two-way", "--calls is one-way, pending or group, not two-way"),
        (
            "run g --calls group",
            "--calls group is there with a host of IPv4, --over raw --threads one or --over full --threads per-connection only",
        ),
        (
            "run g --over raw --calls group --threads per-connection",
            "--calls group is there with a host of IPv4, --over raw --threads one or --over full --threads per-connection only",
        ),
        (
            "run g --calls pending --sync buffered",
            "--calls pending is there with --over full and --sync transport only",
        ),
        (
            "run g --over nano --calls pending",
            "--calls pending is there with --over full and --sync transport only",
        ),
        (
            "run g --calls pending --sync none",
            "--calls pending is there with --over full and --sync transport only",
        ),
        ("run g --transport tcp", "--transport is iiop, uiop or shmiop, not tcp"),
        (
            "run g --transport shmiop",
            "--transport uiop is there with --over full, and with nano and --threads one; shmiop with --over full --threads per-connection",
        ),
        ("run g --connections 3", "--connections is one or two, not 3"),
        (
            "run g --over raw --connections one",
            "--connections one is there with --over nano --threads one, and --over full --calls one-way only",
        ),
        ("node 1 url --host here", "--host is an IP address, not here"),
        ("run g --lookup x", "--lookup is hash or linear, not x"),
        ("run g --seed", "--seed needs a value"),
        ("run g --cycles 0", "--cycles: at least 1"),
        ("node x url", "ID: x is not a number that fits"),
        ("graph mesh 0 5", "0 nodes: a graph has 1 to 1024"),
    ] {
        let error = parse_line(line).unwrap_err().to_string();
        assert_eq!(error.lines().next(), Some(message), "{line}");
    }
}
