//! `zorb ifr`: serves an interface repository.

use std::path::PathBuf;

use clap::Args;
use zorb::dynamic::repository::Repository;
use zorb_ifr::{InterfaceRepository, State};
use zorb_service::check_writer;

use crate::definitions::IdlSource;
use crate::failure::{Failure, Outcome};
use crate::screen::counted;
use crate::service::Service;

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
    #[command(flatten)]
    service: Service,
}

pub(crate) fn run(args: &IfrArgs, arguments: &[String]) -> Outcome {
    let state = args.state.as_ref().map(State::file);
    let definitions = definitions(args, state.as_ref())?;
    let contents = counted(definitions.entries().count() - 1, "definition");
    args.service.run(arguments, KEY, &contents, |orb| {
        let poa = orb.root_poa();
        let served = match args.writable {
            true => InterfaceRepository::serve_writable(&poa, definitions, state)?,
            false => InterfaceRepository::serve(&poa, definitions)?,
        };
        served.set_write_check(check_writer(orb));
        served.reference()
    })
}

/// The definitions of the IDL, merged with the stored ones; updates the stored ones.
fn definitions(args: &IfrArgs, state: Option<&State>) -> Result<Repository, Failure> {
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
