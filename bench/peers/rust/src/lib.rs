//! What the peers in Rust have in common: the command line and the commands of `PROTOCOL.md`. One thread of a client
//! calls `ping`, and `view_structs` where the program has it; what else the harness asks for is unsupported.
#![forbid(unsafe_code)]

mod command;
mod options;
mod times;
mod values;

use std::fmt;
use std::io::{self, BufRead as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

pub use options::{Options, Role, Transport};
pub use values::BinStruct;

/// The exit status of a program that does not support an option.
const UNSUPPORTED: u8 = 3;

/// Why something is not done.
#[derive(Debug)]
pub enum Refusal {
    /// The program does not support it.
    Unsupported(String),
    /// It failed.
    Failed(String),
}

impl<E: std::error::Error> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::Failed(error.to_string())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An answer is one line.
        let flat = |text: &str| text.replace(['\n', '\r'], " ");
        match self {
            Self::Unsupported(reason) => write!(f, "unsupported {}", flat(reason)),
            Self::Failed(reason) => write!(f, "failed {}", flat(reason)),
        }
    }
}

/// Calls a server.
pub trait Client {
    /// Calls once, and waits for the reply.
    ///
    /// # Errors
    /// The call failed.
    fn ping(&mut self) -> Result<(), Refusal>;

    /// Sends `count` calls on one connection before it waits for the first reply, and waits for all.
    ///
    /// # Errors
    /// A call failed.
    fn ping_ahead(&mut self, count: u32) -> Result<(), Refusal>;

    /// Calls with structs, and returns the sum of the member `l` that the server has read in place.
    ///
    /// # Errors
    /// The call failed, or the program has no such call: the default.
    fn view_structs(&mut self, structs: &[BinStruct]) -> Result<i64, Refusal> {
        let _ = structs;
        Err(Refusal::Unsupported("it has no view_structs".to_owned()))
    }
}

/// Runs a program that has one transport, with the options of its command line.
pub fn run(transport: Transport, program: impl FnOnce(Options) -> Result<(), Refusal>) -> ExitCode {
    let options = Options::of_command_line(std::env::args().skip(1));
    match options.and_then(|options| options.only(transport)).and_then(program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(refusal) => {
            eprintln!("{refusal}");
            match refusal {
                Refusal::Unsupported(_) => ExitCode::from(UNSUPPORTED),
                Refusal::Failed(_) => ExitCode::FAILURE,
            }
        }
    }
}

/// Prints the address of a server, and lets the process end when standard input closes.
///
/// # Errors
/// Standard output is closed, or no thread can be started.
pub fn serves_at(address: impl fmt::Display) -> Result<(), Refusal> {
    when_input_closes(|| std::process::exit(0))?;
    print_line(&format!("ready {address}"))
}

/// Prints the address of a server, which polls whether its standard input has closed.
///
/// # Errors
/// Standard output is closed, or no thread can be started.
pub fn serves_until_closed(address: impl fmt::Display) -> Result<Arc<AtomicBool>, Refusal> {
    let closed = Arc::new(AtomicBool::new(false));
    let close = Arc::clone(&closed);
    when_input_closes(move || close.store(true, Ordering::Relaxed))?;
    print_line(&format!("ready {address}"))?;
    Ok(closed)
}

fn when_input_closes(then: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let wait = || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        then();
    };
    thread::Builder::new().spawn(wait).map(drop)
}

/// Executes the commands of the harness until standard input closes.
///
/// # Errors
/// The first call failed, or standard output is closed.
pub fn answer_commands(client: &mut dyn Client) -> Result<(), Refusal> {
    client.ping()?;
    print_line("ready")?;
    for line in io::stdin().lock().lines() {
        print_line(&match command::answer(client, &line?) {
            Ok(done) => done,
            Err(refusal) => refusal.to_string(),
        })?;
    }
    Ok(())
}

fn print_line(line: &str) -> Result<(), Refusal> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}
