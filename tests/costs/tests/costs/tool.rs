//! The measuring tools, and whether they are available.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Why a measurement is not possible.
#[derive(Clone, Debug)]
pub(crate) struct Absent(pub(crate) String);

/// Whether a missing tool is a failure.
pub(crate) fn required() -> bool {
    std::env::var_os("REQUIRE_TOOLS").is_some_and(|value| value != "0")
}

/// strace, and the permission to trace one's own children.
pub(crate) fn strace() -> Result<(), Absent> {
    static FOUND: OnceLock<Result<(), Absent>> = OnceLock::new();
    let probe = || works("strace", &["-f", "-qq", "-o", "/dev/null", "true"]);
    FOUND.get_or_init(probe).clone()
}

/// valgrind, with its tools callgrind and dhat.
pub(crate) fn valgrind() -> Result<(), Absent> {
    static FOUND: OnceLock<Result<(), Absent>> = OnceLock::new();
    let probe = || works("valgrind", &["--tool=none", "-q", "true"]);
    FOUND.get_or_init(probe).clone()
}

/// `strip`, which removes symbols; a part of binutils.
pub(crate) fn strip() -> Result<(), Absent> {
    works("strip", &["--version"])
}

fn works(program: &str, arguments: &[&str]) -> Result<(), Absent> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let message = String::from_utf8_lossy(&output.stderr);
            let why = message.lines().next().unwrap_or("no reason given").to_owned();
            Err(Absent(format!("{program} does not work here: {why}")))
        }
        Err(error) => Err(Absent(format!("{program} cannot be started: {error}"))),
    }
}
