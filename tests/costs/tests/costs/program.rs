//! The measured programs: built once, and run under a tool.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use serde::Deserialize;
use zorb_costs::operation::Operation;

/// How many seconds one program may take under a tool.
const LIMIT: &str = "300";

/// A message of Cargo about an artifact.
#[derive(Deserialize)]
struct Artifact {
    executable: Option<PathBuf>,
    target: Option<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// The path of a program, which is built with the profile `lto` when first asked for.
pub(crate) fn path(name: &str) -> Result<PathBuf, String> {
    static BUILT: OnceLock<Result<HashMap<String, PathBuf>, String>> = OnceLock::new();
    let built = BUILT.get_or_init(build).as_ref().map_err(Clone::clone)?;
    built.get(name).cloned().ok_or_else(|| format!("Cargo built no {name}"))
}

fn build() -> Result<HashMap<String, PathBuf>, String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(["build", "--profile=lto", "--bins", "--package=zorb-costs", "--package=hello"])
        .arg("--message-format=json-render-diagnostics")
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        // The same code whatever the test run itself was built with.
        .env("CARGO_INCREMENTAL", "0")
        .stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo build:\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    let lines = output.stdout.split(|octet| *octet == b'\n');
    let artifacts = lines.filter_map(|line| serde_json::from_slice::<Artifact>(line).ok());
    Ok(artifacts
        .filter_map(|artifact| Some((artifact.target?.name, artifact.executable?)))
        .collect())
}

/// A tool's command line, to which the program's is added.
pub(crate) type Tool<'a> = &'a dyn Fn(Side) -> Vec<String>;

/// One of the two processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Side {
    Client,
    Server,
    /// The same over GIOPlite.
    LiteClient,
    LiteServer,
    /// The same over short messages.
    ShortClient,
    ShortServer,
    /// Both in one ORB, by each strategy of collocated calls.
    ThruPoa,
    Direct,
    Marshalled,
}

impl Side {
    pub(crate) const LOCAL: [Self; 3] = [Self::ThruPoa, Self::Direct, Self::Marshalled];
    pub(crate) const ALL: [Self; 9] = [
        Self::Client,
        Self::Server,
        Self::LiteClient,
        Self::LiteServer,
        Self::ShortClient,
        Self::ShortServer,
        Self::ThruPoa,
        Self::Direct,
        Self::Marshalled,
    ];

    /// The side itself where that is over GIOPlite.
    pub(crate) const fn of_lite(self) -> Self {
        match self {
            Self::Client => Self::LiteClient,
            Self::Server => Self::LiteServer,
            other => other,
        }
    }

    /// The same over short messages.
    pub(crate) const fn of_short(self) -> Self {
        match self {
            Self::Client => Self::ShortClient,
            Self::Server => Self::ShortServer,
            other => other,
        }
    }

    /// Of those in one ORB, also what the option `CollocationStrategy` calls it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::LiteClient => "lite_client",
            Self::LiteServer => "lite_server",
            Self::ShortClient => "short_client",
            Self::ShortServer => "short_server",
            Self::ThruPoa => "thru_poa",
            Self::Direct => "direct",
            Self::Marshalled => "marshalled",
        }
    }
}

/// The program whose calls are counted.
pub(crate) const SUBJECT: &str = "zorb-costs-subject";
/// The one that has real-time settings.
pub(crate) const LANES: &str = "zorb-costs-lanes";

/// The one that calls the small ORB.
pub(crate) const SMALL: &str = "zorb-costs-small";

/// The name of the phase in which no call is made.
pub(crate) const EMPTY: &str = "empty";

/// Runs a server and a client of it, each under its tool, over the protocol of `url`; first with no
/// calls, then `calls` of each operation.
pub(crate) fn run_pair(
    url: &str,
    tool: Tool<'_>,
    calls: u64,
    operations: &[Operation],
) -> Result<(), String> {
    run_words(SUBJECT, &[], url, tool, calls, operations)
}

/// Runs a client under a tool that sends calls without waiting, while its server, which no tool slows down, is stopped.
pub(crate) fn run_pending(
    tool: Vec<String>,
    calls: u64,
    operations: &[Operation],
) -> Result<(), String> {
    let mut server = command(SUBJECT, Vec::new())?;
    server.args(["server", "uiop://"]);
    let mut server = Server::start(server)?;
    let reference = server.reference()?;
    let process = server.line()?;
    let client = command(SUBJECT, tool)?
        .args(["client", &reference, &calls.to_string(), EMPTY])
        .args(operations.iter().map(|operation| operation.name()))
        .env("COSTS_SERVER", process)
        .output();
    finished("the client", client)?;
    server.end()
}

/// The same with real-time settings of this kind: see the usage of the program.
pub(crate) fn run_kind(
    kind: &str,
    url: &str,
    tool: Tool<'_>,
    calls: u64,
    operations: &[Operation],
) -> Result<(), String> {
    run_words(LANES, &[kind], url, tool, calls, operations)
}

/// `words` come after the name of the side.
fn run_words(
    program: &str,
    words: &[&str],
    url: &str,
    tool: Tool<'_>,
    calls: u64,
    operations: &[Operation],
) -> Result<(), String> {
    let mut server = command(program, tool(Side::Server))?;
    server.arg("server").args(words).arg(url);
    let mut server = Server::start(server)?;
    let reference = server.reference()?;
    let client = command(program, tool(Side::Client))?
        .arg("client")
        .args(words)
        .args([&reference, &calls.to_string(), EMPTY])
        .args(operations.iter().map(|operation| operation.name()))
        .output();
    finished("the client", client)?;
    server.end()
}

/// Runs client and servant in one ORB under a tool.
pub(crate) fn run_local(
    side: Side,
    tool: Tool<'_>,
    calls: u64,
    operations: &[Operation],
) -> Result<(), String> {
    let output = command(SUBJECT, tool(side))?
        .args(["local", side.name(), &calls.to_string(), EMPTY])
        .args(operations.iter().map(|operation| operation.name()))
        .output();
    finished("the program", output)
}

/// Runs the program that creates and destroys adapters, for each of the counts, under a tool.
pub(crate) fn run_adapters(tool: Vec<String>, counts: &[u64]) -> Result<(), String> {
    let mut program = command(SUBJECT, tool)?;
    program.arg("adapters").args(counts.iter().map(u64::to_string));
    finished("the program", program.output())
}

/// Void calls of the small ORB: of the first of 16 objects and the last, by their keys and by those with their indexes.
pub(crate) const SMALL_CALLS: [&str; 4] = ["void", "last", "first-indexed", "last-indexed"];

/// Runs client and server of the small ORB under a tool.
pub(crate) fn run_small(tool: Vec<String>, calls: u64) -> Result<(), String> {
    let mut program = command(SMALL, tool)?;
    program.args([&calls.to_string(), EMPTY]).args(SMALL_CALLS);
    finished("the program", program.output())
}

fn finished(who: &str, output: std::io::Result<std::process::Output>) -> Result<(), String> {
    let output = output.map_err(|error| format!("{who} cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{who} ended with {}:\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

/// The command of a program under a tool, within a time limit.
fn command(program: &str, tool: Vec<String>) -> Result<Command, String> {
    let mut command = Command::new("timeout");
    command.arg(LIMIT).args(tool).arg(path(program)?);
    // What the C library chooses by it, and options of an ORB, are the same everywhere.
    command.env_remove("GLIBC_TUNABLES").env_remove("MALLOC_ARENA_MAX").stdin(Stdio::null());
    zorb_os::process::bind_to_this_process(&mut command);
    Ok(command)
}

/// A server that ends with its input.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(mut command: Command) -> Result<Self, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("timeout: {error}"))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        Ok(Self { child, input, output })
    }

    /// The reference that it prints.
    fn reference(&mut self) -> Result<String, String> {
        let line = self.line()?;
        if line.starts_with("IOR:") { Ok(line) } else { Err(self.failure("gave no reference")) }
    }

    /// The next line that it prints; the few that follow stay in the pipe.
    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(|error| error.to_string())?;
        Ok(line.trim_end().to_owned())
    }

    fn end(&mut self) -> Result<(), String> {
        self.input = None;
        let status = self.child.wait().map_err(|error| error.to_string())?;
        if status.success() { Ok(()) } else { Err(self.failure(&format!("ended with {status}"))) }
    }

    fn failure(&mut self, what: &str) -> String {
        self.input = None;
        let mut errors = String::new();
        if let Some(stream) = &mut self.child.stderr {
            let _ = stream.read_to_string(&mut errors);
        }
        format!("the server {what}\n{errors}")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
