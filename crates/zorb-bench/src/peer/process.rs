//! Processes of peers: commands on standard input, answers on standard output, and exit status.

use std::io::{BufRead, Write};
use std::time::Duration;

use super::client::{self, Client};
use super::probing::Probing;
use crate::error::{Error, Result};

/// The exit status of a program that does not support an option.
pub const UNSUPPORTED: u8 = 3;

/// Timeout for closing the connections of a server.
pub(super) const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Prints a line and flushes it.
pub(crate) fn print_line(line: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    Ok(out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush())?)
}

/// Prints the address of a server, and waits until standard input closes.
///
/// # Errors
/// Standard input or output fails.
pub fn serve_until_the_end(address: &str) -> Result<()> {
    print_line(&format!("ready {address}"))?;
    // Only programs with probes get commands.
    let mut probing = Probing::new();
    for line in std::io::stdin().lock().lines() {
        if let Some(answer) = probing.answer(&line?) {
            print_line(&answer)?;
        }
    }
    Ok(())
}

/// Executes the harness's commands until standard input closes. Returns the exit status.
///
/// # Errors
/// Standard input or output fails.
pub fn answer_commands(client: &dyn Client) -> Result<u8> {
    print_line("ready")?;
    let mut probing = Probing::new();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        match probing.answer(&line) {
            Some(answer) => print_line(&answer)?,
            None => print_line(&client::answer(client, &line).to_string())?,
        }
    }
    Ok(0)
}

/// Holds as many open connections as the last line requests.
pub(super) fn hold<T>(mut open: impl FnMut() -> Result<T>) -> Result<u8> {
    let mut held = Vec::new();
    print_line("ready")?;
    for line in std::io::stdin().lock().lines() {
        let wanted: usize = line?.parse().map_err(|_| Error::new("expected a number"))?;
        while held.len() < wanted {
            held.push(open()?);
        }
        print_line(&format!("held {}", held.len()))?;
    }
    Ok(0)
}
