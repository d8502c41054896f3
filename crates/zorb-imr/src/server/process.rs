//! The processes of servers.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::DirBuilderExt as _;
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
/// as Zorb's options `UseImr` and `InitRef`, and as TAO's variables. Its output goes to a file in the folder `logs`, which
/// is made if it does not exist, unless it is empty.
///
/// # Errors
/// What is wrong: the command line is malformed; the program, the working directory or the log does not exist or may not be
/// used; the system refuses another process.
pub(crate) fn start(
    name: &str,
    options: &StartupOptions,
    repository: &str,
    logs: &str,
) -> Result<Child, String> {
    let malformed = || "its command line is malformed".to_owned();
    let words = command_line::split(&options.command_line).ok_or_else(malformed)?;
    let (program, arguments) = words.split_first().ok_or_else(malformed)?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).process_group(0);
    for (variable, _) in std::env::vars_os() {
        if variable.as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            command.env_remove(variable);
        }
    }
    // That is for the repository itself.
    command.env_remove("NOTIFY_SOCKET");
    command.env("ZORB_USE_IMR", "yes");
    command.env("ZORB_INIT_REF", format!("{}={repository}", crate::KEY));
    command.env("TAO_USE_IMR", "1").env("ImplRepoServiceIOR", repository);
    for variable in &options.environment {
        command.env(&variable.name, &variable.value);
    }
    if !options.working_directory.is_empty() {
        command.current_dir(&options.working_directory);
    }
    let (output, errors) = outputs(logs, name)
        .map_err(|error| format!("its log in the folder {logs:?} cannot be opened: {error}"))?;
    command.stdout(output).stderr(errors);
    // The repository's program may have blocked those that ask it to terminate.
    unblock_signals(&mut command).spawn().map_err(|error| match &*options.working_directory {
        "" => format!("{program:?} cannot be started: {error}"),
        folder => format!("{program:?} cannot be started in the folder {folder:?}: {error}"),
    })
}

/// Where the output of a server goes, and its standard error.
fn outputs(logs: &str, name: &str) -> io::Result<(File, File)> {
    let log = match logs {
        "" => File::from(io::stderr().as_fd().try_clone_to_owned()?),
        folder => log_file(Path::new(folder), name)?,
    };
    Ok((log.try_clone()?, log))
}

/// The file for the output of a server.
fn log_file(folder: &Path, name: &str) -> io::Result<File> {
    let is_plain = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.');
    let plain = |char| if is_plain(char) { char } else { '_' };
    let name: String = name.chars().take(200).map(plain).collect();
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    OpenOptions::new().create(true).append(true).open(folder.join(format!("{name}.log")))
}
