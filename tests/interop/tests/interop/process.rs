//! Child processes that never outlive their test.

use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How long a process may take to start, and to end when it is told to.
pub(crate) const LIMIT: Duration = Duration::from_secs(300);
/// How often a file is looked for whose writer says nothing.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A running process and what it prints. It is killed when dropped.
pub(crate) struct Process {
    name: String,
    child: Child,
    stdin: Option<ChildStdin>,
    /// The lines of its output, including standard error. Disconnected when the process ends.
    printed: Receiver<Line>,
    errors: Vec<String>,
}

enum Line {
    Output(String),
    Error(String),
}

impl Process {
    pub(crate) fn start(name: &str, command: &mut Command) -> Result<Self, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = zorb_os::process::bind_to_this_process(command)
            .spawn()
            .map_err(|error| format!("{name} cannot be started: {error}"))?;
        let (sender, printed) = channel();
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        forward(output, sender.clone(), Line::Output);
        forward(errors, sender, Line::Error);
        let stdin = child.stdin.take();
        Ok(Self { name: name.into(), child, stdin, printed, errors: Vec::new() })
    }

    /// Waits until `found` holds, asking again after every line printed, and now and then.
    pub(crate) fn wait_until(&mut self, mut found: impl FnMut(&str) -> bool) -> Result<(), String> {
        let begun = Instant::now();
        let mut line = String::new();
        while !found(&line) {
            line.clear();
            if begun.elapsed() > LIMIT {
                return Err(self.failure("is not ready in time"));
            }
            match self.printed.recv_timeout(LOOK_AGAIN) {
                Ok(Line::Output(text)) => line = text,
                Ok(Line::Error(text)) => {
                    line.clone_from(&text);
                    self.errors.push(text);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.failure("has ended")),
            }
        }
        Ok(())
    }

    /// Waits for the end of the process; what it printed meanwhile, and how it ended.
    pub(crate) fn end(mut self, limit: Duration) -> Result<(Vec<String>, ExitStatus), String> {
        self.wait(limit)
    }

    /// Waits for the end of the process; its errors, and how it ended.
    pub(crate) fn end_with_errors(
        mut self,
        limit: Duration,
    ) -> Result<(String, ExitStatus), String> {
        let (lines, status) = self.wait(limit)?;
        Ok(([lines, std::mem::take(&mut self.errors)].concat().join("\n"), status))
    }

    fn wait(&mut self, limit: Duration) -> Result<(Vec<String>, ExitStatus), String> {
        let deadline = Instant::now() + limit;
        let mut lines = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.printed.recv_timeout(left) {
                Ok(Line::Output(text)) => lines.push(text),
                Ok(Line::Error(text)) => self.errors.push(text),
                Err(RecvTimeoutError::Timeout) => {
                    let last = lines.last().cloned().unwrap_or_default();
                    return Err(self.failure(&format!("does not end; its last line is {last:?}")));
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        // Both outputs are closed, so it is about to end.
        let status = self.child.wait().map_err(|error| error.to_string())?;
        Ok((lines, status))
    }

    /// Ends the input of the process, which has to end well then.
    pub(crate) fn end_well(mut self) -> Result<(), String> {
        self.stdin = None;
        self.ends_well()
    }

    /// Waits for the end of the process, which has to be a good one.
    pub(crate) fn ends_well(self) -> Result<(), String> {
        let name = self.name.clone();
        let (_, status) = self.end(LIMIT)?;
        if status.success() { Ok(()) } else { Err(format!("{name} ended with {status}")) }
    }

    fn failure(&self, what: &str) -> String {
        let errors = self.errors.iter().rev().take(20).rev();
        let errors: Vec<&str> = errors.map(String::as_str).collect();
        format!("{} {what}\n{}", self.name, errors.join("\n"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends the lines of `stream` on, from a thread that ends with it.
fn forward(
    stream: Option<impl Read + Send + 'static>,
    sender: Sender<Line>,
    line: impl Fn(String) -> Line + Send + 'static,
) {
    let Some(stream) = stream else { return };
    std::thread::spawn(move || {
        let mut lines = BufReader::new(stream);
        let mut octets = Vec::new();
        while lines.read_until(b'\n', &mut octets).is_ok_and(|count| count > 0) {
            let text = String::from_utf8_lossy(&octets).trim_end().to_owned();
            if sender.send(line(text)).is_err() {
                break;
            }
            octets.clear();
        }
    });
}
