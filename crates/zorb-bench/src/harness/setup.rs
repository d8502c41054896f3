//! The programs of peers: command lines, processors and priorities.

use std::path::{Path, PathBuf};
use std::process::Command;

use zorb_os::thread;

use crate::catalog::{Experiment, Kind};
use crate::error::Result;
use crate::options::Options;
use crate::peer::Role;
use crate::pin::Pin;
use crate::transport::bare_transport;

/// The tool that starts a program with a real-time priority.
const CHRT: &str = "chrt";

/// The programs of peers, and how they run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The program that runs the peers of this crate when it is given [`own_word`](Self::own_word)
    /// and the words of [`PeerArguments`](crate::peer::PeerArguments).
    pub own_program: PathBuf,
    /// Its first argument.
    pub own_word: String,
    /// The URL scheme of the transport, with its messaging.
    pub transport: String,
    /// The processors of client and server.
    pub pin: Pin,
    /// Options for Zorb, as `-ORBName value`.
    pub orb: Vec<String>,
    /// The options of the experiment.
    pub options: Options,
}

/// The role of a process of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Process<'a> {
    Server {
        path: &'a Path,
        connections: usize,
    },
    Client {
        address: &'a str,
    },
    Holder {
        address: &'a str,
    },
    /// A bridge or relay, which forwards to the address, and listens at the path if its transport needs
    /// one.
    Hop {
        hop: Role,
        to: &'a str,
        path: &'a Path,
    },
    Search,
}

impl Setup {
    /// The setup of an experiment. `own` is the program that runs the peers of this crate, and its first
    /// argument.
    ///
    /// # Errors
    /// The available processors cannot be determined.
    pub fn new(
        experiment: &Experiment,
        mut options: Options,
        own: (PathBuf, &str),
        orb: &[String],
    ) -> Result<Self> {
        let pin = match options.pin {
            Some(pin) => pin,
            // Waking another processor takes much longer, and varies much more, than the steps that
            // are measured.
            None if experiment.kind == Kind::Probes => Pin::Same,
            // Two processors are preferred, but not always available.
            None if thread::affinity()?.len() > 1 => Pin::Split,
            None => Pin::Same,
        };
        let queue = options.socket_queue.or(experiment.socket_queue);
        // 0 is the system's size.
        options.socket_queue = queue.filter(|octets| *octets > 0);
        let transport = options.transport.first().cloned().unwrap_or_else(|| "iiop".to_owned());
        let (own_program, own_word) = (own.0, own.1.to_owned());
        Ok(Self { own_program, own_word, transport, pin, orb: orb.to_vec(), options })
    }

    /// The names of the peers that are part of this crate.
    pub const OWN: [&'static str; 2] = ["raw", "zorb"];

    /// The same two with busy-waiting before they block.
    pub const BUSY_WAITING: [&'static str; 2] = ["raw-busy-wait", "zorb-busy-wait"];

    /// Zorb with other marshalling engines than the compiled one.
    pub const ENGINES: [&'static str; 2] = ["zorb-interpretive", "zorb-view"];

    /// The peer that works as conventional ORBs did. Its program is beside Zorb's.
    pub const CONVENTIONAL: &'static str = "conventional";

    /// What the name of a peer ends with whose servant has no skeleton (DSI).
    pub const DYNAMIC: &'static str = "-dsi";

    /// The setup of `latency` with these options, for tests.
    #[cfg(test)]
    pub(crate) fn of(line: &str) -> Self {
        let options = Options::parsed(line);
        let latency = Experiment::named("latency").unwrap();
        Self::new(latency, options, ("zorb".into(), "bench-peer"), &[]).unwrap()
    }

    /// Whether the programs of a peer exist.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        let name = name.strip_suffix(Self::DYNAMIC).unwrap_or(name);
        if name == Self::CONVENTIONAL {
            return self.conventional_program().is_file();
        }
        let program = |role| self.options.peers.join(name).join(role).is_file();
        [Self::OWN, Self::BUSY_WAITING, Self::ENGINES].concat().contains(&name)
            || program("server") && program("client")
    }

    fn conventional_program(&self) -> PathBuf {
        self.own_program.with_file_name("zorb-ladder")
    }

    /// The command that starts a process of a peer.
    pub(super) fn command(&self, peer: &str, process: Process<'_>) -> Result<Command> {
        let (name, busy_wait, engine) = match peer {
            "raw-busy-wait" => ("raw", self.options.busy_wait, None),
            "zorb-busy-wait" => ("zorb", self.options.busy_wait, None),
            "zorb-interpretive" => ("zorb", None, Some("interpretive")),
            "zorb-view" => ("zorb", None, Some("view")),
            name => match name.strip_suffix(Self::DYNAMIC) {
                Some(name) => (name, None, Some("dsi")),
                None => (name, None, None),
            },
        };
        // Zorb opens the idle connections to any ORB, the bare program those to programs that use its protocol (whose
        // addresses are not references).
        let (name, role) = match process {
            Process::Server { .. } => (name, "server"),
            Process::Client { .. } => (name, "client"),
            Process::Holder { address } if !address.starts_with("IOR:") => ("raw", "holder"),
            Process::Holder { .. } => ("zorb", "holder"),
            Process::Hop { hop, .. } => ("zorb", hop.name()),
            Process::Search => ("demux", "search"),
        };
        let mut words: Vec<String> = Vec::new();
        let program = if Self::OWN.contains(&name) || process == Process::Search {
            words.extend([self.own_word.clone(), name.to_owned(), role.to_owned()]);
            self.own_program.clone()
        } else if name == Self::CONVENTIONAL {
            words.push(role.to_owned());
            self.conventional_program()
        } else {
            self.options.peers.join(name).join(role)
        };
        let processors = thread::affinity()?;
        let [client, server] = self.pin.choose(&processors)?;
        let cpu = match process {
            Process::Server { path, connections } => {
                if bare_transport(&self.transport) != "iiop" {
                    words.extend(["--path".to_owned(), path.display().to_string()]);
                }
                words.extend(["--connections".to_owned(), connections.to_string()]);
                server
            }
            Process::Client { address } | Process::Holder { address } => {
                words.push(address.to_owned());
                client
            }
            Process::Hop { to, path, .. } => {
                words.push(to.to_owned());
                if bare_transport(&self.transport) != "iiop" {
                    words.extend(["--path".to_owned(), path.display().to_string()]);
                }
                self.pin.between(&processors, server)
            }
            Process::Search => {
                words.push(peer.to_owned());
                client
            }
        };
        if process != Process::Search {
            words.extend(["--transport".to_owned(), self.transport.clone()]);
        }
        words.extend(cpu.into_iter().flat_map(|cpu| ["--cpu".to_owned(), cpu.to_string()]));
        if let Some(octets) = self.options.socket_queue {
            words.extend(["--socket-queue".to_owned(), octets.to_string()]);
        }
        words.extend(
            busy_wait.into_iter().flat_map(|micros| ["--busy-wait".to_owned(), micros.to_string()]),
        );
        words.extend(
            engine.into_iter().flat_map(|engine| ["--engine".to_owned(), engine.to_owned()]),
        );
        if name == "zorb" {
            words.extend(self.orb.iter().cloned());
        }
        let mut command = match self.options.fifo {
            Some(priority) => {
                let mut command = Command::new(CHRT);
                command.args(["--fifo", &priority.to_string()]).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.args(words);
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup() -> Setup {
        let setup = Setup::of("--peers peers --pin none --transport uiop");
        Setup { orb: vec!["-ORBId".to_owned(), "x".to_owned()], ..setup }
    }

    fn line(setup: &Setup, name: &str, process: Process<'_>) -> String {
        let command = setup.command(name, process).unwrap();
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        words.map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn all_peers_get_the_same_command_line() {
        let server = Process::Server { path: Path::new("s"), connections: 5 };
        assert_eq!(
            line(&setup(), "raw", server),
            "zorb bench-peer raw server --path s --connections 5 --transport uiop"
        );
        let hop = Process::Hop { hop: Role::Relay, to: "IOR:00", path: Path::new("b") };
        assert_eq!(
            line(&setup(), "zorb", hop),
            "zorb bench-peer zorb relay IOR:00 --path b --transport uiop -ORBId x"
        );
        let client = Process::Client { address: "IOR:00" };
        assert_eq!(
            line(&setup(), "zorb-view", client),
            "zorb bench-peer zorb client IOR:00 --transport uiop --engine view -ORBId x"
        );
        assert_eq!(
            line(&setup(), "omniorb-dsi", client),
            "peers/omniorb/client IOR:00 --transport uiop --engine dsi"
        );
        assert_eq!(line(&setup(), "ace", client), "peers/ace/client IOR:00 --transport uiop");
        assert_eq!(
            line(&setup(), "conventional", client),
            "zorb-ladder client IOR:00 --transport uiop"
        );
    }

    #[test]
    fn every_option_is_passed_on() {
        let options = "--peers peers --pin none --fifo 40 --socket-queue 9000 --busy-wait 70";
        let setup = Setup { orb: setup().orb, ..Setup::of(options) };
        let holder = Process::Holder { address: "IOR:00" };
        assert_eq!(
            line(&setup, "omniorb", holder),
            "chrt --fifo 40 zorb bench-peer zorb holder IOR:00 --transport iiop \
             --socket-queue 9000 -ORBId x"
        );
        let holder_of_ace = line(&setup, "ace", Process::Holder { address: "127.0.0.1:9" });
        assert!(holder_of_ace.contains(" raw holder 127.0.0.1:9 "), "{holder_of_ace}");
        assert_eq!(
            line(&setup, "zorb-busy-wait", holder),
            "chrt --fifo 40 zorb bench-peer zorb holder IOR:00 --transport iiop \
             --socket-queue 9000 --busy-wait 70 -ORBId x"
        );
    }
}
