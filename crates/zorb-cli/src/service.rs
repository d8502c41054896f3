//! Serves one object, for commands that are servers.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use zorb::Interface;
use zorb::poa::{Poa, PoaError};

use crate::failure::{OK, Outcome};
use crate::interrupt::Interrupt;
use crate::screen;

/// Where an object is served.
#[derive(Args, Debug)]
pub(crate) struct Service {
    /// Endpoint to listen at, as `iiop://HOST:PORT`; repeatable
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
        activate: impl FnOnce(&Poa) -> Result<T, PoaError>,
    ) -> Outcome {
        let interrupt = Interrupt::watch()?;
        let orb = zorb::Orb::builder().arguments(&mut arguments.to_vec());
        let orb = orb.force(|orb| self.listen.iter().fold(orb, |orb, url| orb.listen(url)));
        let orb = orb.build()?;
        let reference = activate(&orb.root_poa()).map_err(zorb::Error::from)?;
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
}
