//! Runs the program.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

/// The program with these arguments, isolated from the environment's settings.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zorb"));
    command.args(arguments);
    for (variable, _) in std::env::vars_os() {
        let name = variable.to_string_lossy();
        if name.starts_with("ZORB_") || name.starts_with("CLICOLOR") {
            command.env_remove(&variable);
        }
    }
    command
}

/// A finished run.
pub(crate) struct Finished {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Finished {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Finished {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error} in {:?}; {}", self.stdout, self.stderr))
    }
}

pub(crate) fn run(arguments: &[&str]) -> Finished {
    command(arguments).stdin(Stdio::null()).output().unwrap().into()
}

pub(crate) fn run_with_input(arguments: &[&str], input: &str) -> Finished {
    let mut command = command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap().into()
}

/// A folder of this test.
pub(crate) fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cli").join(test);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A file with this text in a folder of this test.
pub(crate) fn file(test: &str, name: &str, text: &str) -> String {
    let path = folder(test).join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Sends a signal.
pub(crate) fn signal(child: &Child, name: &str) {
    let script = format!("kill -{name} {}", child.id());
    assert!(Command::new("sh").args(["-c", &script]).status().unwrap().success());
}

/// Reads lines until one for which `is_it`; returns it and the reader.
pub(crate) fn line_of<R: Read>(output: R, is_it: impl Fn(&str) -> bool) -> (String, BufReader<R>) {
    let mut reader = BufReader::new(output);
    loop {
        let mut line = String::new();
        assert_ne!(reader.read_line(&mut line).unwrap(), 0, "the output ended");
        if is_it(&line) {
            return (line, reader);
        }
    }
}
