//! `zorb imr add`.

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use zorb_imr::command_line;
use zorb_imr::implementation_repository::administration::AddOrUpdateServerError;
use zorb_imr::implementation_repository::{ActivationMode, EnvironmentVariable, StartupOptions};
use zorb_imr::server_repository::Selection;
use zorb_imr::server_repository::repository::SetInstancesError;

use super::repository::{Servers, failed, not_linked};
use crate::failure::{Failure, OK, Outcome};

/// Add a server, or change how it is started
///
/// The command is not run by a shell. The server runs as the user of the repository, with its environment. The
/// repository searches its PATH for the program; a relative path is relative to the server's working directory.
#[derive(Args, Debug)]
pub(crate) struct AddArgs {
    /// The server
    #[arg(value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    name: String,
    /// When the server is started
    #[arg(long, value_name = "MODE", value_enum, default_value_t = Mode::Normal)]
    mode: Mode,
    /// Environment variable of the server; repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// Working directory of the server; that of the repository by default
    #[arg(long, value_name = "DIR")]
    dir: Option<String>,
    /// Number of failed starts in a row after which requests are refused
    #[arg(long, value_name = "COUNT", default_value_t = 3)]
    start_limit: u16,
    /// Number of processes of the server that run at once
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    instances: u32,
    /// How the repository selects one of these for a client
    #[arg(long, value_name = "CHOICE", value_enum, default_value_t = Choice::RoundRobin)]
    choice: Choice,
    /// Other names that the server's process serves, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    with: Vec<String>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// When a server is started.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Mode {
    /// By its first request
    Normal,
    /// By `zorb imr start` only
    Manual,
    /// For each client that the repository forwards
    PerClient,
    /// With the repository, and whenever it has ended
    Auto,
}

/// Which of several processes a client is sent to.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Choice {
    /// The next one
    RoundRobin,
    /// The one with the fewest clients
    LeastLoaded,
    /// One that follows from the object key
    ByKey,
}

impl From<Mode> for ActivationMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Normal => Self::Normal,
            Mode::Manual => Self::Manual,
            Mode::PerClient => Self::PerClient,
            Mode::Auto => Self::AutoStart,
        }
    }
}

impl From<Choice> for Selection {
    fn from(choice: Choice) -> Self {
        match choice {
            Choice::RoundRobin => Self::RoundRobin,
            Choice::LeastLoaded => Self::LeastLoaded,
            Choice::ByKey => Self::ByKey,
        }
    }
}

pub(super) fn run(args: &AddArgs, servers: &Servers) -> Outcome {
    let environment = args.env.iter().map(|text| variable(text)).collect::<Result<_, _>>()?;
    let options = StartupOptions {
        command_line: command_line::join(&args.command),
        environment,
        working_directory: args.dir.clone().unwrap_or_default(),
        activation: args.mode.into(),
        activator: String::new(),
        start_limit: args.start_limit.into(),
    };
    let repository = &servers.repository;
    repository.add_or_update_server(&args.name, &options).map_err(|error| match error {
        AddOrUpdateServerError::NotFound(_) => Failure::new("the repository has no such activator"),
        AddOrUpdateServerError::System(exception) => failed(exception),
    })?;
    let set = repository.set_instances(&args.name, args.instances, args.choice.into());
    set.map_err(|error| match error {
        SetInstancesError::NotFound(_) => Failure::new("the server has been removed"),
        SetInstancesError::System(exception) => failed(exception),
    })?;
    if !args.with.is_empty() {
        let linked = repository.link_servers(&args.name, &args.with);
        linked.map_err(|error| not_linked(error, &args.name))?;
    }
    Ok(OK)
}

fn variable(text: &str) -> Result<EnvironmentVariable, Failure> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = pair.ok_or_else(|| {
        Failure::new(format!("`{text}` is not of the form NAME=VALUE")).into_usage()
    })?;
    Ok(EnvironmentVariable { name: name.to_owned(), value: value.to_owned() })
}
