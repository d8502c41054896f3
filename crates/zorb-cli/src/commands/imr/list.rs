//! `zorb imr list`.

use clap::Args;
use serde::Serialize;
use zorb_imr::implementation_repository::ActivationMode;
use zorb_imr::server_repository::{Selection, ServerState, Status};

use super::repository::Servers;
use crate::failure::{OK, Outcome};
use crate::screen::{self, visible};

/// List the servers and their processes
///
/// JSON: a list of objects with `name`, `state`, `mode`, `instances`, `choice`, `linked_to`, `command`, `processes` (objects
/// with `process`, `clients`, `address`), `starts`, `failures`, `problem`.
#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    /// JSON output
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listed {
    name: String,
    state: &'static str,
    mode: &'static str,
    instances: u32,
    choice: &'static str,
    linked_to: Option<String>,
    command: String,
    processes: Vec<Process>,
    starts: u64,
    failures: u64,
    problem: Option<String>,
}

#[derive(Serialize)]
struct Process {
    /// `null` if the repository does not know it.
    process: Option<u32>,
    clients: u64,
    address: String,
}

pub(super) fn run(args: &ListArgs, servers: &Servers) -> Outcome {
    let all: Vec<Listed> = servers.all()?.into_iter().map(Listed::from).collect();
    if args.json {
        screen::print_json(&all)?;
    } else {
        screen::print(&all.iter().map(Listed::lines).collect::<String>())?;
    }
    Ok(OK)
}

/// The name of a state, for users.
pub(crate) fn state_name(state: ServerState) -> &'static str {
    match state {
        ServerState::Stopped => "stopped",
        ServerState::Starting => "starting",
        ServerState::Running => "running",
        ServerState::Stopping => "stopping",
        ServerState::Failed => "failed",
    }
}

impl From<Status> for Listed {
    fn from(status: Status) -> Self {
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        let processes = status.running.into_iter().map(|running| Process {
            process: Some(running.process).filter(|process| *process != 0),
            clients: running.clients,
            address: running.partial_ior,
        });
        Self {
            name: status.server,
            state: state_name(status.state),
            mode: match status.startup.activation {
                ActivationMode::Normal => "normal",
                ActivationMode::Manual => "manual",
                ActivationMode::PerClient => "per-client",
                ActivationMode::AutoStart => "auto",
            },
            instances: status.instances,
            choice: match status.choice {
                Selection::RoundRobin => "round-robin",
                Selection::LeastLoaded => "least-loaded",
                Selection::ByKey => "by-key",
            },
            linked_to: some(status.linked_to),
            command: status.startup.command_line,
            processes: processes.collect(),
            starts: status.starts,
            failures: status.failures,
            problem: some(status.problem),
        }
    }
}

impl Listed {
    /// A line for the server, and one for each process.
    fn lines(&self) -> String {
        let mut text = format!("{}  {}  {}", visible(&self.name), self.state, self.mode);
        if self.instances != 1 {
            text.push_str(&format!("  {} x {}", self.instances, self.choice));
        }
        match &self.linked_to {
            Some(other) => text.push_str(&format!("  with {}", visible(other))),
            None => text.push_str(&format!("  {}", visible(&self.command))),
        }
        text.push('\n');
        for process in &self.processes {
            let id = process.process.map_or_else(|| "?".to_owned(), |id| id.to_string());
            let (address, clients) = (visible(&process.address), process.clients);
            let clients = screen::counted(usize::try_from(clients).unwrap_or(usize::MAX), "client");
            text.push_str(&format!("  process {id} at {address}, {clients}\n"));
        }
        if let Some(problem) = &self.problem {
            text.push_str(&format!("  {}\n", visible(problem)));
        }
        text
    }
}
