//! A child process that exchanges lines and ends when its input closes.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use zorb_os::process::bind_to_this_process;

use crate::error::{Error, Result};

/// Time for a child to end by itself.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest line that is read from a child, in octets.
const MAX_LINE: u64 = 1 << 20;

/// A running child. It ends with this value, and with this process in any case.
#[derive(Debug)]
pub struct LineChild {
    child: Child,
    /// The child ends when this closes.
    stdin: Option<ChildStdin>,
    /// What the child prints; disconnected when it has ended.
    lines: Receiver<String>,
}

impl LineChild {
    /// Starts `command`. The child ends with the calling thread, which must be the main thread.
    ///
    /// # Errors
    /// An error of the system.
    pub fn start(command: &mut Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // Only this process gets Ctrl-C, and then ends the child.
        command.process_group(0);
        let mut child = bind_to_this_process(command).spawn()?;
        let stdin = child.stdin.take();
        let (sender, lines) = channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::Builder::new().name("child-output".to_owned()).spawn(move || {
                let mut reader = BufReader::new(stdout);
                while let Some(line) = next_line(&mut reader) {
                    // At the end nothing receives the lines; the pipe is still drained.
                    let _ = sender.send(line);
                }
            })?;
        }
        Ok(Self { child, stdin, lines })
    }

    /// The process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes a line to the child.
    ///
    /// # Errors
    /// The child's input is closed.
    pub fn write_line(&mut self, line: &str) -> Result<()> {
        let Some(stdin) = &mut self.stdin else { return Err(Error::new("its input is closed")) };
        Ok(stdin.write_all(format!("{line}\n").as_bytes())?)
    }

    /// The child's next line; `None` if the child has closed its output.
    ///
    /// # Errors
    /// There is no line within `timeout`.
    pub fn line(&mut self, timeout: Duration) -> Result<Option<String>> {
        match self.lines.recv_timeout(timeout) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => {
                Err(Error::new(format!("no answer within {} s", timeout.as_secs())))
            }
        }
    }

    /// The rest of the child's next line after `word`.
    ///
    /// # Errors
    /// The child ended, or printed something else, or nothing within `timeout`.
    pub fn expect_word(&mut self, word: &str, timeout: Duration) -> Result<String> {
        let Some(line) = self.line(timeout)? else {
            let status = self.wait()?;
            return Err(Error::new(format!("it ended too early: {status}")));
        };
        let (first, rest) = line.split_once(' ').unwrap_or((&line, ""));
        if first == word {
            Ok(rest.to_owned())
        } else {
            Err(Error::new(format!("expected `{word}`, got {line:?}")))
        }
    }

    /// Closes the child's input and waits until it has ended; kills it after a timeout.
    ///
    /// # Errors
    /// An error of the system.
    pub fn wait(&mut self) -> Result<ExitStatus> {
        drop(self.stdin.take());
        loop {
            match self.lines.recv_timeout(END_TIMEOUT) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    self.child.kill()?;
                    break;
                }
            }
        }
        Ok(self.child.wait()?)
    }

    /// Ends the child.
    ///
    /// # Errors
    /// Its status was not 0.
    pub fn stop(mut self) -> Result<()> {
        let status = self.wait()?;
        if status.success() { Ok(()) } else { Err(Error::new(format!("it ended: {status}"))) }
    }
}

impl Drop for LineChild {
    fn drop(&mut self) {
        if self.stdin.is_some() {
            let _ = self.wait();
        }
    }
}

/// The next line without its end; `None` at the end, and for lines that are too long.
fn next_line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    let read = std::io::Read::take(&mut *reader, MAX_LINE).read_line(&mut line).ok()?;
    let line = line.strip_suffix('\n').filter(|_| read > 0)?;
    Some(line.to_owned())
}
