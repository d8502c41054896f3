//! The services that `zorb serve` runs.

use std::path::PathBuf;
use std::sync::Arc;

use zorb::ObjectRef;
use zorb::dynamic::repository::Repository;
use zorb_ifr::{InterfaceRepository, State};
use zorb_imr::server::{ImplementationRepository, ImrOptions};
use zorb_naming::server::{NamingOptions, NamingService};
use zorb_sched::TaskFile;
use zorb_sched_service::SchedulerService;
use zorb_service::{Host, MetricKind, Metrics, check_local_writer, check_writer};

use crate::commands::imr::state_name;
use crate::failure::Failure;
use crate::screen::counted;

/// What the command line says about services.
pub(super) struct Choices {
    /// The folder for the output of servers.
    pub(super) server_logs: Option<String>,
    /// The folder of the store.
    pub(super) folder: Option<PathBuf>,
}

/// A service that runs.
pub(super) struct Started {
    pub(super) reference: ObjectRef,
    /// What it contains, for the line of status.
    pub(super) contents: String,
}

/// A service and how it starts.
pub(super) struct ServiceEntry {
    /// Its name on the command line.
    pub(super) name: &'static str,
    /// The key under which it is published.
    pub(super) key: &'static str,
    pub(super) start: fn(&Host, &Choices) -> Result<Started, Failure>,
}

/// All services, in the order in which they start.
pub(super) const SERVICES: &[ServiceEntry] = &[
    ServiceEntry { name: "naming", key: zorb_naming::server::KEY, start: naming },
    ServiceEntry { name: "ifr", key: "InterfaceRepository", start: ifr },
    ServiceEntry { name: "imr", key: zorb_imr::KEY, start: imr },
    ServiceEntry { name: "scheduling", key: "ScheduleService", start: scheduling },
];

fn naming(host: &Host, _: &Choices) -> Result<Started, Failure> {
    let options = host.orb().options().get::<NamingOptions>().cloned().unwrap_or_default();
    let names = match host.store() {
        Some(store) => NamingService::serve_stored(host.orb(), &options, Arc::clone(store))?,
        None => NamingService::serve(host.orb(), &options)?,
    };
    names.set_write_check(check_writer(host.orb()));
    host.show_names(&names);
    let shown = names.clone();
    host.add_metrics(move |metrics| add_names(&shown, metrics));
    let numbers = names.statistics();
    let (contexts, bindings) =
        (counted(numbers.contexts, "context"), counted(numbers.bindings, "binding"));
    Ok(Started { reference: names.root()?.into(), contents: format!("{contexts}, {bindings}") })
}

/// The metrics of a naming service.
fn add_names(names: &NamingService, metrics: &mut Metrics) {
    let numbers = names.statistics();
    for (name, help, count) in [
        ("zorb_naming_contexts", "Contexts, including the root.", numbers.contexts),
        ("zorb_naming_bindings", "Bindings of all contexts.", numbers.bindings),
        ("zorb_naming_leases", "Bindings with leases.", numbers.leases),
        ("zorb_naming_iterators", "Binding iterators.", numbers.iterators),
        ("zorb_naming_memory_bytes", "Memory of contexts and bindings.", numbers.octets),
        ("zorb_naming_memory_limit_bytes", "The limit of this memory.", numbers.octets_limit),
    ] {
        metrics.gauge(name, help, count as f64);
    }
}

/// Clients may change the definitions.
fn ifr(host: &Host, choices: &Choices) -> Result<Started, Failure> {
    let failed = |error: zorb_ifr::StateError| Failure::new(error.to_string());
    let state = host.store().map(|store| State::stored(Arc::clone(store)));
    let mut stored = state.as_ref().map(State::load).transpose().map_err(failed)?.flatten();
    if let (None, Some(state), Some(folder)) = (&stored, &state, &choices.folder) {
        // Earlier versions had a file beside the store.
        stored = State::file(folder.join("definitions.ifr")).load().map_err(failed)?;
        stored.as_ref().map(|earlier| state.store(earlier)).transpose().map_err(failed)?;
    }
    let definitions = stored.unwrap_or_else(Repository::new);
    let contents = counted(definitions.entries().count() - 1, "definition");
    let poa = host.orb().root_poa();
    let served = InterfaceRepository::serve_writable(&poa, definitions, state);
    let served = served.map_err(zorb::Error::from)?;
    served.set_write_check(check_writer(host.orb()));
    let reference = served.reference().map_err(zorb::Error::from)?;
    Ok(Started { reference: reference.into(), contents })
}

fn imr(host: &Host, choices: &Choices) -> Result<Started, Failure> {
    let orb = host.orb();
    let mut options = orb.options().get::<ImrOptions>().cloned().unwrap_or_default();
    if let Some(folder) = &choices.server_logs {
        options.imr_server_logs.clone_from(folder);
    }
    let servers = match host.store() {
        Some(store) => ImplementationRepository::serve_stored(orb, &options, Arc::clone(store))?,
        None => ImplementationRepository::serve(orb, &options)?,
    };
    servers.set_write_check(check_local_writer(orb));
    host.show_servers(&servers);
    let shown = servers.clone();
    host.add_metrics(move |metrics| add_servers(&shown, metrics));
    let numbers = servers.statistics();
    let contents = format!("{}, {} running", counted(numbers.servers, "server"), numbers.running);
    Ok(Started { reference: servers.reference().into(), contents })
}

/// The metrics of an implementation repository.
fn add_servers(servers: &ImplementationRepository, metrics: &mut Metrics) {
    let states = servers.states().map(|(state, count)| ([("state", state_name(state))], count));
    let samples = states.each_ref().map(|(labels, count)| (&labels[..], *count as f64));
    metrics.family(MetricKind::Gauge, "zorb_imr_servers", "Servers in each state.", &samples);
    let numbers = servers.statistics();
    for (name, help, count) in [
        ("zorb_imr_processes", "Processes of servers that have registered.", numbers.running),
        ("zorb_imr_starting", "Processes that have not registered yet.", numbers.starting),
        ("zorb_imr_waiting_requests", "Requests that wait for a server.", numbers.waiting),
    ] {
        metrics.gauge(name, help, count as f64);
    }
    for (name, help, count) in [
        ("zorb_imr_starts_total", "Processes started.", numbers.starts),
        ("zorb_imr_failed_starts_total", "Starts that have failed.", numbers.failures),
        ("zorb_imr_forwards_total", "Requests forwarded to servers.", numbers.forwards),
    ] {
        metrics.counter(name, help, count as f64);
    }
}

fn scheduling(host: &Host, _: &Choices) -> Result<Started, Failure> {
    let TaskFile { system, set } = TaskFile::default();
    let contents = counted(set.len(), "operation");
    let mut scheduler = SchedulerService::new(set, system);
    scheduler.set_write_check(check_writer(host.orb()));
    let served = scheduler.serve(&host.orb().root_poa()).map_err(zorb::Error::from)?;
    Ok(Started { reference: served.into(), contents })
}
