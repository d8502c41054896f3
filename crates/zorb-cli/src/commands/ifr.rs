//! `zorb ifr`: serves an interface repository.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use zorb::Interface;
use zorb::dynamic::repository::Repository;
use zorb_ifr::{InterfaceRepository, StateFile};

use crate::definitions::IdlSource;
use crate::failure::{Failure, OK, Outcome};
use crate::interrupt::Interrupt;
use crate::screen::{self, counted};

/// The key under which the repository is published.
const KEY: &str = "InterfaceRepository";

/// Serve an interface repository with the definitions of IDL files
///
/// Prints its object reference. Configure servers and clients with it as the initial reference
/// `InterfaceRepository`: servers then implement `_interface`, and `zorb call` needs no IDL. Serves
/// until Ctrl-C.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb ifr --listen iiop://localhost:2810 --idl hello.idl
  hello-server -ORBInitRef InterfaceRepository=corbaloc::localhost:2810/InterfaceRepository
  zorb call corbaloc::localhost:2809/greeter say_hello Rust
  zorb ifr --listen iiop://localhost:2810 --state definitions.ifr")]
pub(crate) struct IfrArgs {
    #[command(flatten)]
    source: IdlSource,
    /// File that stores the definitions; its contents are served together with those of the IDL
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Permission for clients to add, change and destroy definitions, also in the state file
    #[arg(long)]
    writable: bool,
    /// Endpoint to listen at, as `iiop://HOST:PORT`; repeatable
    #[arg(long, value_name = "URL")]
    listen: Vec<String>,
    /// File to write the object reference to
    #[arg(long, value_name = "FILE")]
    ior: Option<PathBuf>,
}

pub(crate) fn run(args: &IfrArgs, arguments: &[String]) -> Outcome {
    let interrupt = Interrupt::watch()?;
    let state = args.state.as_ref().map(StateFile::new);
    let definitions = definitions(args, state.as_ref())?;
    let count = definitions.entries().count() - 1;

    let orb = zorb::Orb::builder().arguments(&mut arguments.to_vec());
    let orb = orb.force(|orb| args.listen.iter().fold(orb, |orb, url| orb.listen(url))).build()?;
    let poa = orb.root_poa();
    let served = match args.writable {
        true => InterfaceRepository::serve_writable(&poa, definitions, state),
        false => InterfaceRepository::serve(&poa, definitions),
    };
    let reference = served.and_then(|served| served.reference()).map_err(zorb::Error::from)?;
    orb.publish(KEY, &reference)?;
    let text = reference.to_ior_string();
    if let Some(file) = &args.ior {
        screen::write(file, &text)?;
    }
    screen::print(&format!("{text}\n"))?;
    let endpoints = orb.endpoints().join(", ");
    screen::print_stderr(&format!("serving {} at {endpoints}", counted(count, "definition")));

    while interrupt.wait(Duration::from_secs(3600)).is_none() {}
    orb.shutdown(true)?;
    Ok(OK)
}

/// The definitions of the IDL, merged with the stored ones; updates the stored ones.
fn definitions(args: &IfrArgs, state: Option<&StateFile>) -> Result<Repository, Failure> {
    let failed = |error: zorb_ifr::StateError| Failure::new(error.to_string());
    let mut definitions = args.source.load()?;
    if let Some(state) = state {
        if let Some(stored) = state.load().map_err(failed)? {
            definitions.merge(&stored);
        }
        state.store(&definitions).map_err(failed)?;
    }
    Ok(definitions)
}
