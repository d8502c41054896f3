//! The processes of servers.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use zorb_os::process::unblock_signals;

use crate::command_line;
use crate::implementation_repository::StartupOptions;

/// The prefix of the variables that set options of Zorb's ORB.
const PREFIX: &str = "ZORB_";

/// Starts a server in a process group of its own.
///
/// It inherits the environment of the repository, but not the options of its ORB, and is told the repository's reference:
/// as Zorb's options `UseImr` and `InitRef`, and as TAO's variables. Its output goes to a file in the folder `logs`, if
/// there is one.
///
/// # Errors
/// The command line is malformed; the program or the working directory does not exist or may not be used; the system
/// refuses another process.
pub(crate) fn start(
    name: &str,
    options: &StartupOptions,
    repository: &str,
    logs: &str,
) -> io::Result<Child> {
    let malformed = || io::Error::new(io::ErrorKind::InvalidInput, "malformed command line");
    let words = command_line::split(&options.command_line).ok_or_else(malformed)?;
    let (program, arguments) = words.split_first().ok_or_else(malformed)?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).process_group(0);
    for (variable, _) in std::env::vars_os() {
        if variable.as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            command.env_remove(variable);
        }
    }
    command.env("ZORB_USE_IMR", "yes");
    command.env("ZORB_INIT_REF", format!("{}={repository}", crate::KEY));
    command.env("TAO_USE_IMR", "1").env("ImplRepoServiceIOR", repository);
    for variable in &options.environment {
        command.env(&variable.name, &variable.value);
    }
    if !options.working_directory.is_empty() {
        command.current_dir(&options.working_directory);
    }
    let log = match logs {
        "" => File::from(io::stderr().as_fd().try_clone_to_owned()?),
        folder => log_file(Path::new(folder), name)?,
    };
    command.stderr(log.try_clone()?).stdout(log);
    // The repository's program may have blocked those that ask it to terminate.
    unblock_signals(&mut command).spawn()
}

/// The file for the output of a server.
fn log_file(folder: &Path, name: &str) -> io::Result<File> {
    let is_plain = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.');
    let plain = |char| if is_plain(char) { char } else { '_' };
    let name: String = name.chars().take(200).map(plain).collect();
    OpenOptions::new().create(true).append(true).open(folder.join(format!("{name}.log")))
}
