//! The implementation repository that a command asks.

use std::time::Duration;

use clap::Args;
use zorb::Orb;
use zorb_imr::KEY;
use zorb_imr::implementation_repository::administration::ActivateServerError;
use zorb_imr::implementation_repository::administration_ext::LinkServersError;
use zorb_imr::server_repository::{Repository, Status};

use crate::commands::ior;
use crate::commands::ping::positive_seconds;
use crate::failure::Failure;
use crate::screen::visible;

/// How many servers a command asks for at once.
const AT_ONCE: u32 = 500;

/// Which repository, and how.
#[derive(Args, Debug)]
pub(crate) struct Access {
    /// The repository: a reference, or a file that contains one
    #[arg(long, global = true, value_name = "URL")]
    repository: Option<String>,
    /// Timeout of connections and calls, in seconds
    #[arg(short = 'W', long, global = true, value_name = "SECONDS", default_value = "120", value_parser = positive_seconds)]
    timeout: Duration,
}

/// An implementation repository.
pub(super) struct Servers {
    pub(super) orb: Orb,
    pub(super) repository: Repository,
}

impl Servers {
    pub(super) fn open(access: &Access, arguments: &[String]) -> Result<Self, Failure> {
        let orb = crate::orb::builder().arguments(&mut arguments.to_vec()).build()?;
        let is_known = || orb.initial_names().iter().any(|name| name == KEY);
        let url = match &access.repository {
            Some(text) => ior::load(text)?,
            None if is_known() => format!("corbaloc:rir:/{KEY}"),
            None => format!("corbaloc::localhost/{KEY}"),
        };
        let object = orb.string_to_object(&url)?;
        let object = object.ok_or_else(|| Failure::new("the repository's reference is nil"))?;
        let repository = object.with_timeout(access.timeout).unchecked_narrow();
        Ok(Self { orb, repository })
    }

    /// All servers, by name.
    pub(super) fn all(&self) -> Result<Vec<Status>, Failure> {
        let mut all: Vec<Status> = Vec::new();
        loop {
            let after = all.last().map(|status| status.server.clone()).unwrap_or_default();
            let more = self.repository.status(&after, AT_ONCE).map_err(failed)?;
            if more.is_empty() {
                return Ok(all);
            }
            all.extend(more);
        }
    }
}

/// A system exception as a failure.
pub(super) fn failed(error: impl Into<zorb::SystemException>) -> Failure {
    zorb::Error::from(error.into()).into()
}

/// The failure of a command that names a server. `error` may have `NotFound` and `CannotActivate`.
pub(super) fn explained(error: impl Into<ActivateServerError>, name: &str) -> Failure {
    let name = visible(name);
    match error.into() {
        ActivateServerError::NotFound(_) => Failure::new(format!("there is no server `{name}`")),
        ActivateServerError::CannotActivate(why) => {
            Failure::new(format!("{name} does not start: {}", visible(&why.reason)))
        }
        ActivateServerError::System(exception) => failed(exception),
    }
}

/// The failure of linking servers.
pub(super) fn not_linked(error: LinkServersError, name: &str) -> Failure {
    match error {
        LinkServersError::NotFound(_) => {
            Failure::new(format!("there is no server `{}`", visible(name)))
        }
        LinkServersError::CannotComplete(why) => Failure::new(visible(&why.reason)),
        LinkServersError::System(exception) => failed(exception),
    }
}
