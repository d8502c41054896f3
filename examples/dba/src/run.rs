//! A whole run: the registry, and the processes of the nodes.

use std::process::{Child, Command, Stdio};

use dba_algorithm::Graph;
use zorb_os::clock::MonotonicTime;
use zorb_os::process::bind_to_this_process;

use crate::arguments::Options;
use crate::dba::Report;
use crate::registry::Coordinator;
use crate::report::Summary;
use crate::{Failure, output};

/// Starts a registry, and waits for nodes that others start.
pub(crate) fn registry(graph: &Graph, options: &Options) -> Result<(), Failure> {
    let end = MonotonicTime::now() + options.time_limit;
    let coordinator = Coordinator::new(graph.nodes(), options.host)?;
    output::print(format_args!("{}\n", coordinator.url()))?;
    let reports = coordinator.run(graph, options.settings(graph), end, &mut || Ok(()))?;
    coordinator.shutdown()?;
    print(&Summary { graph, reports: &reports }, options)
}

/// Runs all nodes, and prints how they have ended.
pub(crate) fn run(graph: &Graph, options: &Options) -> Result<(), Failure> {
    print(&Summary { graph, reports: &reports(graph, options)? }, options)
}

/// Starts a registry in this process and a process for each node; returns how they have ended.
pub(crate) fn reports(graph: &Graph, options: &Options) -> Result<Vec<Report>, Failure> {
    let end = MonotonicTime::now() + options.time_limit;
    let coordinator = Coordinator::new(graph.nodes(), options.host)?;
    let mut nodes = Processes::default();
    for id in 0..graph.nodes() {
        nodes.start(id, coordinator.url(), options)?;
    }
    let reports = coordinator.run(graph, options.settings(graph), end, &mut || nodes.check());
    drop(nodes);
    let reports = reports?;
    coordinator.shutdown()?;
    Ok(reports)
}

/// Prints the result. It is an error if the graph should have been colored and is not.
fn print(summary: &Summary<'_>, options: &Options) -> Result<(), Failure> {
    let printed = match options.json {
        true => output::print(format_args!("{}", summary.json())),
        false => output::print(format_args!("{}", summary.text())),
    };
    // First, because it is no error if nobody reads.
    if options.terminates && !summary.is_solved() {
        return Err("not colored within the maximum number of cycles".into());
    }
    printed
}

/// The processes of nodes, which end with this value and with this process.
#[derive(Default)]
struct Processes(Vec<Child>);

impl Processes {
    fn start(&mut self, id: u32, registry: &str, options: &Options) -> Result<(), Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["node", &id.to_string(), registry]).args(options.of_node());
        command.stdin(Stdio::null()).stdout(Stdio::null());
        self.0.push(bind_to_this_process(&mut command).spawn()?);
        Ok(())
    }

    /// That no node has ended with an error.
    fn check(&mut self) -> Result<(), Failure> {
        for (id, child) in self.0.iter_mut().enumerate() {
            if let Some(status) = child.try_wait()?
                && !status.success()
            {
                return Err(format!("node {id} has ended: {status}").into());
            }
        }
        Ok(())
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // It may have ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
