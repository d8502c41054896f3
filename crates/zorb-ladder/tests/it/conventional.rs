//! The conventional ORB, driven as `zorb bench` drives its peers.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_zorb-ladder");

/// A process of the peer.
struct Process {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    fn start(words: &[&str]) -> Self {
        let mut command = Command::new(PROGRAM);
        let piped = command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = piped.spawn().unwrap();
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, input, output }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn ask(&mut self, line: &str) -> String {
        writeln!(self.input, "{line}").unwrap();
        self.line()
    }

    /// Closes its standard input.
    fn end(self) {
        let Self { mut process, input, .. } = self;
        drop(input);
        assert!(process.wait().unwrap().success());
    }
}

#[test]
fn values_of_all_types_come_back_and_floods_are_counted() {
    let mut server = Process::start(&["server", "--socket-queue", "65536"]);
    let ready = server.line();
    let mut client = Process::start(&["client", ready.strip_prefix("ready ").unwrap()]);
    assert_eq!(client.line(), "ready");
    for operation in ["ping", "echo_octets", "echo_longs", "echo_doubles", "echo_structs"] {
        for payload in [1, 24, 40_000] {
            let done = client.ask(&format!("run {operation} {payload} 3 warm=2"));
            assert!(done.starts_with("done ") && done.contains("check=ok"), "{operation}: {done}");
        }
    }
    for element in ["shorts", "chars", "longs", "octets", "doubles", "structs", "padded"] {
        for payload in [8, 100_000] {
            let done = client.ask(&format!("flood send_{element} {payload} 5"));
            assert!(done.contains("check=ok") && done.contains("calls=5"), "{element}: {done}");
        }
    }
    assert!(client.ask("run echo_octets 8 2 shared=1").starts_with("unsupported "));
    assert!(client.ask("run sum_structs 24 1").starts_with("unsupported "));
    assert!(client.ask("run echo_string 8 1").starts_with("unsupported "));
    client.end();
    server.end();
}

#[test]
fn other_transports_are_not_supported() {
    for words in [&["server", "--transport", "uiop"][..], &["client", "x", "--transport", "shmiop"]]
    {
        let status = Command::new(PROGRAM).args(words).stdin(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(3));
    }
}
