//! The program `zorb-ladder`.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};

use zorb_os::process::bind_to_this_process;

use super::counts::{Counted, read};
use super::flood::{Done, Sides};
use super::plan::LadderPlan;
use crate::{Error, Result};

/// The tool that counts.
const VALGRIND: &str = "valgrind";
/// The function at which it writes counts.
const MARK: &str = "*mark_ladder*";
/// The instruction cache that it simulates: directly mapped, as that of processors at the time of the paper.
const CACHE: &str = "--I1=16384,1,32";

/// The program.
pub(super) struct Program {
    path: PathBuf,
}

impl Program {
    pub(super) fn new(plan: &LadderPlan) -> Result<Self> {
        let path = std::path::absolute(&plan.program)?;
        match path.is_file() {
            true => Ok(Self { path }),
            false => Err(Error::new(format!(
                "{} does not exist; `cargo build --release -p zorb-ladder` in Zorb's source tree builds it",
                path.display()
            ))),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Counts what all engines do; `None` where valgrind is not installed.
    pub(super) fn count(&self, plan: &LadderPlan) -> Result<Option<Counted>> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("counts");
        let mut command = Command::new(VALGRIND);
        command
            .args(["-q", "--tool=callgrind", "--cache-sim=yes", CACHE])
            .args(["--compress-strings=no", "--compress-pos=no"])
            .arg(format!("--dump-before={MARK}"))
            .arg(format!("--callgrind-out-file={}", file.display()))
            .arg(&self.path)
            .args(["count", "--buffer", &plan.counted_buffer().to_string()])
            .args(["--total", &plan.counted_total().to_string()])
            .stdin(Stdio::null());
        let output = match bind_to_this_process(&mut command).output() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            output => succeeded(output?)?,
        };
        read(&output.stdout, &file).map(Some)
    }

    /// Sends a flood over the loopback interface.
    pub(super) fn flood(
        &self,
        engine: &str,
        elements_of: &str,
        buffer: usize,
        total: usize,
    ) -> Result<Sides> {
        let buffer = buffer.to_string();
        let what = ["--engine", engine, "--type", elements_of, "--buffer", &buffer];
        let mut receiver = Receiver::start(&self.path, &what)?;
        let mut command = Command::new(&self.path);
        command.args(["send", "--to", &receiver.address, "--total", &total.to_string()]);
        command.args(what).stdin(Stdio::null());
        let sent = bind_to_this_process(&mut command).output()?;
        // A receiver whose sender has failed before it connects waits for it.
        if !sent.status.success() {
            receiver.process.kill()?;
        }
        let sent = succeeded(sent)?;
        Ok(Sides { sender: Done::parse(&sent.stdout)?, receiver: receiver.finish()? })
    }
}

/// A receiver that is listening.
struct Receiver {
    process: Child,
    address: String,
    said: BufReader<std::process::ChildStdout>,
}

impl Receiver {
    fn start(program: &Path, what: &[&str]) -> Result<Self> {
        let mut command = Command::new(program);
        command.arg("receive").args(what);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = bind_to_this_process(&mut command).spawn()?;
        let said = process.stdout.take().ok_or_else(|| Error::new("no standard output"))?;
        let (mut said, mut address) = (BufReader::new(said), String::new());
        said.read_line(&mut address)?;
        Ok(Self { process, address: address.trim().to_owned(), said })
    }

    fn finish(mut self) -> Result<Done> {
        let mut said = Vec::new();
        self.said.read_to_end(&mut said)?;
        check(self.process.wait()?, "the receiver")?;
        Done::parse(&said)
    }
}

fn succeeded(output: Output) -> Result<Output> {
    check(output.status, String::from_utf8_lossy(&output.stderr).trim())?;
    Ok(output)
}

fn check(status: ExitStatus, said: &str) -> Result<()> {
    match status.success() {
        true => Ok(()),
        false => Err(Error::new(format!("`zorb-ladder`: {status}: {said}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_reported_with_how_to_build_it() {
        let plan = LadderPlan { program: "/missing/zorb-ladder".into(), quick: true };
        let error = Program::new(&plan).err().map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.ends_with("source tree builds it")));
    }
}
