//! Starts the processes of servers.

use std::process::Child;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use zorb::poa::HeldRequests;
use zorb_os::process::ProcessId;
use zorb_os::signal::Signal;

use super::definition::Definition;
use super::entry::Server;
use super::process;
use super::servers::{Servers, State};

/// How often what nobody reports is looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// The end of one start.
enum Attempt {
    /// Nothing is left to start.
    Done,
    Registered,
    Failed,
}

impl Servers {
    /// Starts processes of a server until as many run as should, or too many starts have failed.
    pub(super) fn run_starts(&self, name: &str) {
        let mut failed = 0;
        loop {
            match self.start_one(name, failed) {
                Attempt::Done => return,
                Attempt::Registered => failed = 0,
                Attempt::Failed => failed += 1,
            }
        }
    }

    /// Starts one process, and waits until it has registered. `failed`: how many starts have failed in a row.
    fn start_one(&self, name: &str, failed: u32) -> Attempt {
        let Some(definition) = self.wait_for_turn(name, failed) else { return Attempt::Done };
        let outcome = self.start_process(name, &definition);
        let mut state = self.lock();
        state.starting -= 1;
        let attempt = match outcome {
            Ok(()) => {
                if let Some(server) = state.servers.get_mut(name) {
                    server.limits.succeeded();
                    server.problem.clear();
                }
                Attempt::Registered
            }
            Err(problem) => {
                tracing::warn!(server = name, problem, "a server does not start");
                if let Some(server) = state.servers.get_mut(name) {
                    server.limits.failed(&self.settings, Instant::now());
                    server.failures += 1;
                    server.problem = problem;
                    server.process = None;
                }
                Attempt::Failed
            }
        };
        drop(state);
        self.changed.notify_all();
        attempt
    }

    /// Waits until the server may be started. `None` if it need not be, may not be any more, or if that is over.
    fn wait_for_turn(&self, name: &str, failed: u32) -> Option<Definition> {
        let begun = Instant::now();
        let mut state = self.lock();
        loop {
            let has_room = state.starting < self.settings.starts_at_once.max(1);
            let has_ended = state.has_ended;
            let server = state.servers.get_mut(name)?;
            server.forget_ended();
            let gives_up = failed >= server.definition.attempts();
            if has_ended || gives_up || server.is_stopped || !server.lacks_processes() {
                server.is_starting = false;
                if gives_up {
                    server.limits.give_up(&self.settings, Instant::now());
                    server.wanted = 0;
                }
                let waiting = state.take_waiting(name, gives_up);
                drop(state);
                self.changed.notify_all();
                waiting.iter().for_each(HeldRequests::resume);
                return None;
            }
            let now = Instant::now();
            let delay = server.limits.delay(&self.settings, now);
            // One that is about to end may still have what the next one needs: a port, a file.
            server.processes.retain(|process| process.is_alive());
            let waits_for_earlier = !server.is_per_client()
                && server.processes.len() >= server.definition.instances as usize
                && now.duration_since(begun) < self.settings.stop_grace;
            if delay.is_zero() && has_room && !waits_for_earlier {
                let definition = server.definition.clone();
                server.limits.started(now);
                server.starts += 1;
                (server.process, server.ended) = (None, None);
                state.starting += 1;
                return Some(definition);
            }
            let wait = if delay.is_zero() { LOOK_AGAIN } else { delay.min(LOOK_AGAIN) };
            let waited = self.changed.wait_timeout(state, wait);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Starts a process, and waits until it has registered.
    ///
    /// # Errors
    /// Why it has not.
    fn start_process(&self, name: &str, definition: &Definition) -> Result<(), String> {
        let spawning = self.spawning.lock().unwrap_or_else(PoisonError::into_inner);
        let repository = self.repository.get().map(String::as_str).unwrap_or_default();
        let child = process::start(name, &definition.startup, repository, &self.settings)
            .map_err(|error| format!("it cannot be started: {error}"))?;
        // A process without a start time has ended, and waits for its parent.
        let id = child.id();
        let process = ProcessId::of(id).unwrap_or_else(|| ProcessId::from_parts(id, 0));
        if let Some(server) = self.lock().servers.get_mut(name) {
            server.process = Some(process);
            server.processes.push(process);
        }
        drop(spawning);
        tracing::info!(server = name, process = id, "started a server");
        self.watch(name, child, process)?;
        let deadline = Instant::now().checked_add(self.settings.start_timeout);
        let mut state = self.lock();
        loop {
            let has_ended = state.has_ended;
            let Some(server) = state.servers.get_mut(name) else {
                drop(state);
                kill(process);
                return Err("it has been removed".to_owned());
            };
            if let Some(how) = server.ended.take() {
                return Err(format!("it has ended before it registered: {how}"));
            }
            if server.process != Some(process) {
                return Ok(());
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) || server.is_stopped {
                server.process = None;
                let why = match server.is_stopped {
                    true => "it has been stopped".to_owned(),
                    false => format!("it has not registered as {name:?} in time"),
                };
                drop(state);
                kill(process);
                return Err(why);
            }
            if has_ended {
                return Err("the repository has ended".to_owned());
            }
            let wait = left.unwrap_or(LOOK_AGAIN).min(LOOK_AGAIN);
            let waited = self.changed.wait_timeout(state, wait);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for the end of a process on a thread of its own.
    ///
    /// # Errors
    /// There is no thread; then the process has been killed.
    fn watch(&self, name: &str, mut child: Child, process: ProcessId) -> Result<(), String> {
        let (servers, name) = (self.this.clone(), name.to_owned());
        let (sender, children) = std::sync::mpsc::sync_channel::<Child>(1);
        let wait = move || {
            let Ok(mut child) = children.recv() else { return };
            let how = match child.wait() {
                Ok(status) => status.to_string(),
                Err(error) => error.to_string(),
            };
            tracing::info!(server = name, process = process.id(), how, "a server has ended");
            if let Some(servers) = servers.upgrade() {
                servers.forget(process, &how);
            }
        };
        let thread = std::thread::Builder::new().name("imr-watch".to_owned());
        if thread.spawn(wait).is_err() {
            kill(process);
            let _ = child.wait();
            self.forget(process, "killed");
            return Err("there is no thread to watch it".to_owned());
        }
        // The thread waits for it.
        let _ = sender.send(child);
        Ok(())
    }
}

/// Ends a process that has not done what it should have.
fn kill(process: ProcessId) {
    // It may have ended.
    let _ = process.signal_group(Signal::KILL.number());
}

impl State {
    /// The requests that wait for a server; if it cannot be started, also those for the names that it serves.
    fn take_waiting(&mut self, name: &str, with_linked: bool) -> Vec<HeldRequests> {
        let waits = |(known, server): (&String, &mut Server)| {
            let is_linked = server.definition.linked_to.as_deref() == Some(name);
            let is_meant = known == name || (with_linked && is_linked);
            if is_meant { server.waiting.take() } else { None }
        };
        self.servers.iter_mut().filter_map(waits).collect()
    }
}
