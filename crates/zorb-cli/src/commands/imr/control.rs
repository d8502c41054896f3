//! `zorb imr start`, `stop`, `autostart` and `rm`.

use clap::Args;
use zorb_imr::implementation_repository::ActivationMode;
use zorb_imr::implementation_repository::administration::{
    ActivateServerError, RemoveServerError, ShutdownServerError,
};

use super::repository::{Servers, explained};
use crate::failure::{OK, Outcome};

/// Start a server, and wait until it has registered
#[derive(Args, Debug)]
pub(crate) struct StartArgs {
    /// The server
    #[arg(value_name = "NAME")]
    name: String,
}

/// End the processes of a server, and wait until they have ended
///
/// Asks the server to shut down, then sends SIGTERM, and finally SIGKILL. A later request starts it again, unless its
/// mode is `manual`.
#[derive(Args, Debug)]
pub(crate) struct StopArgs {
    /// The server
    #[arg(value_name = "NAME")]
    name: String,
}

/// Start all servers of the mode `auto` that do not run
#[derive(Args, Debug)]
pub(crate) struct AutostartArgs {}

/// Remove a server from the repository
///
/// Its processes continue to run.
#[derive(Args, Debug)]
pub(crate) struct RmArgs {
    /// The server
    #[arg(value_name = "NAME")]
    name: String,
}

pub(super) fn start(args: &StartArgs, servers: &Servers) -> Outcome {
    let started = servers.repository.activate_server(&args.name);
    started.map_err(|error| explained(error, &args.name))?;
    Ok(OK)
}

pub(super) fn stop(args: &StopArgs, servers: &Servers) -> Outcome {
    let stopped = servers.repository.shutdown_server(&args.name).map_err(|error| match error {
        ShutdownServerError::NotFound(missing) => ActivateServerError::NotFound(missing),
        ShutdownServerError::System(exception) => ActivateServerError::System(exception),
    });
    stopped.map_err(|error| explained(error, &args.name))?;
    Ok(OK)
}

pub(super) fn autostart(_: &AutostartArgs, servers: &Servers) -> Outcome {
    let all = servers.all()?;
    let automatic = all.iter().filter(|it| it.startup.activation == ActivationMode::AutoStart);
    for status in automatic {
        let started = servers.repository.activate_server(&status.server);
        started.map_err(|error| explained(error, &status.server))?;
    }
    Ok(OK)
}

pub(super) fn rm(args: &RmArgs, servers: &Servers) -> Outcome {
    let removed = servers.repository.remove_server(&args.name).map_err(|error| match error {
        RemoveServerError::NotFound(missing) => ActivateServerError::NotFound(missing),
        RemoveServerError::System(exception) => ActivateServerError::System(exception),
    });
    removed.map_err(|error| explained(error, &args.name))?;
    Ok(OK)
}
