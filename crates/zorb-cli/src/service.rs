//! Serves one object, for commands that are servers.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use zorb::poa::PoaError;
use zorb::{Interface, Orb};

use crate::failure::{OK, Outcome};
use crate::interrupt::Interrupt;
use crate::screen;

/// Where an object is served.
#[derive(Args, Debug)]
pub(crate) struct Service {
    /// Endpoint to listen at, as `iiop://HOST:PORT`; repeatable; a port of the loopback interface by default
    #[arg(long, value_name = "URL")]
    listen: Vec<String>,
    /// File to write the object reference to
    #[arg(long, value_name = "FILE")]
    ior: Option<PathBuf>,
}

impl Service {
    /// Publishes an object under `key`, prints its reference and `contents`, and serves it until a
    /// signal arrives.
    pub(crate) fn run<T: Interface>(
        &self,
        arguments: &[String],
        key: &str,
        contents: &str,
        activate: impl FnOnce(&Orb) -> Result<T, PoaError>,
    ) -> Outcome {
        let interrupt = Interrupt::watch()?;
        let orb = self.orb(arguments)?;
        let reference = activate(&orb).map_err(zorb::Error::from)?;
        orb.publish(key, &reference)?;
        let text = reference.to_ior_string();
        if let Some(file) = &self.ior {
            screen::write(file, &text)?;
        }
        screen::print(&format!("{text}\n"))?;
        let endpoints = orb.endpoints().join(", ");
        screen::print_stderr(&format!("serving {contents} at {endpoints}"));

        while interrupt.wait(Duration::from_secs(3600)).is_none() {}
        orb.shutdown(true)?;
        Ok(OK)
    }

    /// The ORB. It listens at the loopback interface if neither the command nor the configuration names endpoints.
    fn orb(&self, arguments: &[String]) -> Result<Orb, zorb::Error> {
        let builder = || crate::orb::builder().arguments(&mut arguments.to_vec());
        zorb_service::listening(builder, &self.listen, 0)
    }
}
