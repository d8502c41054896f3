//! `zorb serve`: runs services.

mod table;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use zorb_service::{Host, listening};
use zorb_store::{Durability, FileStore, FileStoreOptions, Store};

use crate::failure::{Failure, OK, Outcome};
use crate::interrupt::Interrupt;
use crate::screen;
use table::{Choices, SERVICES, ServiceEntry};

/// Serve the naming service and other services
///
/// SERVICES are, separated by commas: naming, ifr (interface repository), imr (implementation repository, which starts
/// servers), scheduling. Each is published under its
/// standard key, as in corbaloc::localhost:2809/NameService, and bound in the naming service. Prints their object
/// references, in this order. Serves until Ctrl-C or SIGTERM. `zorb config` lists the options of the services.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb serve naming
  zorb serve --all --store /var/lib/zorb
  zorb serve naming --listen iiop://:2809 --ior names.ior -ORBNamingIterators 100
  zorb serve imr --store /var/lib/zorb --server-logs /var/log/zorb
  zorb serve ifr,scheduling --listen iiop://localhost:2810 -ORBInitRef NameService=corbaloc::localhost/NameService
  zorb serve --all --store /var/lib/zorb --metrics 9187 --console 9188
  zorb ping --ready corbaloc::localhost/Health")]
pub(crate) struct ServeArgs {
    /// The services
    #[arg(value_name = "SERVICES", value_delimiter = ',', required_unless_present = "all")]
    services: Vec<String>,
    /// All services
    #[arg(long, conflicts_with = "services")]
    all: bool,
    /// Endpoint to listen at, as `iiop://HOST:PORT`; repeatable; port 2809 of the loopback interface by default
    #[arg(long, value_name = "URL")]
    listen: Vec<String>,
    /// Folder that stores the state; without it, the state is lost when the program ends
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// What stored changes survive: `grouped` and `immediate` a loss of power, `os` the end of the process
    #[arg(long, value_name = "MODE", default_value_t, requires = "store")]
    durability: Durability,
    /// Address of metrics and probes by HTTP: HOST:PORT, or a port of the loopback interface; none by default
    #[arg(long, value_name = "ADDR")]
    metrics: Option<String>,
    /// Address of a page for browsers that shows names and servers, as --metrics; none by default
    #[arg(long, value_name = "ADDR")]
    console: Option<String>,
    /// File to write the object reference of the first service to
    #[arg(long, value_name = "FILE")]
    ior: Option<PathBuf>,
    /// Folder for the output of servers that the implementation repository starts, as the option ImrServerLogs; standard
    /// error by default
    #[arg(long, value_name = "DIR")]
    server_logs: Option<String>,
}

impl ServeArgs {
    /// The services to run, in the order of the table: naming first, so that the others are bound there.
    fn selected(&self) -> Result<Vec<&'static ServiceEntry>, Failure> {
        let known = |name: &String| SERVICES.iter().any(|service| service.name == name);
        if let Some(unknown) = self.services.iter().find(|name| !known(name)) {
            let names: Vec<&str> = SERVICES.iter().map(|service| service.name).collect();
            let failure = Failure::new(format!("there is no service `{unknown}`"));
            return Err(failure
                .hint(format!("the services are {}", names.join(", ")))
                .into_usage());
        }
        let is_selected = |service: &&ServiceEntry| {
            self.all || self.services.iter().any(|name| name == service.name)
        };
        Ok(SERVICES.iter().filter(is_selected).collect())
    }
}

pub(crate) fn run(args: &ServeArgs, arguments: &[String]) -> Outcome {
    let selected = args.selected()?;
    let interrupt = Interrupt::watch()?;
    let store = args.store.as_deref().map(|folder| open(folder, args.durability)).transpose()?;
    let builder = || crate::orb::builder().arguments(&mut arguments.to_vec());
    let orb = listening(builder, &args.listen, zorb::giop::DEFAULT_IIOP_PORT)?;
    let mut host = Host::new(orb)?;
    if let Some(store) = store {
        host = host.with_store(store);
    }
    let choices = Choices { folder: args.store.clone(), server_logs: args.server_logs.clone() };
    let (mut contents, mut references) = (Vec::new(), Vec::new());
    for service in &selected {
        let started = (service.start)(&host, &choices)?;
        host.offer(service.key, &started.reference)?;
        references.push(started.reference.to_ior_string());
        contents.push(format!("{} ({})", service.name, started.contents));
    }
    let metrics = args.metrics.as_ref().map(|address| host.serve_metrics(address)).transpose()?;
    let console = args.console.as_ref().map(|address| host.serve_console(address)).transpose()?;
    if let (Some(file), Some(first)) = (&args.ior, references.first()) {
        screen::write(file, first)?;
    }
    screen::print(&format!("{}\n", references.join("\n")))?;
    // It may have to wait for a naming service that does not answer.
    host.start()?;
    let endpoints = host.orb().endpoints().join(", ");
    screen::print_stderr(&format!("serving {} at {endpoints}", contents.join(", ")));
    if let Some(address) = metrics {
        screen::print_stderr(&format!("metrics at http://{address}/metrics"));
    }
    if let Some(address) = console {
        screen::print_stderr(&format!("console at http://{address}/"));
    }
    while interrupt.wait(Duration::from_secs(3600)).is_none() {}
    host.orb().drain();
    pause(host.orb().options().shutdown_drain);
    host.orb().shutdown(true)?;
    Ok(OK)
}

/// Waits. A second signal ends the program.
fn pause(time: Duration) {
    let end = Instant::now() + time;
    while let Some(left) = end.checked_duration_since(Instant::now()).filter(|it| !it.is_zero()) {
        std::thread::park_timeout(left);
    }
}

/// Opens the store in a folder.
fn open(folder: &Path, durability: Durability) -> Result<Arc<dyn Store>, Failure> {
    let options = FileStoreOptions::new().durability(durability);
    let store = FileStore::open(folder, &options)?;
    if store.recovered() {
        screen::print_stderr("the last run ended without closing the store; it has been recovered");
    }
    Ok(Arc::new(store))
}
