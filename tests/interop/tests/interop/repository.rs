//! `zorb ifr` and the peers: what their stubs and tools read in it and change, and what their
//! servers answer to `_interface` with it, so that `zorb call` needs no IDL.

use std::path::Path;
use std::process::Command;

use crate::outcome::{Outcome, printed, totals};
use crate::pairings::start_server;
use crate::peers::{self, JACORB, OMNIORB, Peer};
use crate::process::{LIMIT, Process};

type Checked = Result<(), String>;

/// A repository of the test's IDL that may be written to.
struct World<'a> {
    pairing: &'a str,
    reference: String,
    // Dropped first: it is killed.
    _process: Process,
    folder: tempfile::TempDir,
}

/// Serves the IDL of the tests, and runs what there is to run with each peer.
pub(crate) fn run(pairing: &str) -> Result<Vec<Outcome>, String> {
    let idl = Path::new(env!("CARGO_MANIFEST_DIR")).join("idl");
    let mut command = peers::zorb();
    command.args(["ifr", "--listen", "iiop://127.0.0.1:0", "--writable"]);
    command.arg("-I").arg(&idl).arg("--idl").arg(idl.join("interop.idl"));
    let mut process = Process::start("zorb ifr", &mut command)?;
    let mut reference = String::new();
    process.wait_until(|line| {
        reference = line.to_owned();
        line.starts_with("IOR:")
    })?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let world = World { pairing, reference, _process: process, folder };
    let mut outcomes = Vec::new();
    match peers::ready(OMNIORB) {
        Ok(()) => outcomes.extend(world.omniorb()?),
        Err(absent) => outcomes.push(Outcome::new(pairing, OMNIORB, absent.into())),
    }
    match peers::ready(JACORB) {
        Ok(()) => outcomes.extend(world.jacorb()),
        Err(absent) => outcomes.push(Outcome::new(pairing, JACORB, absent.into())),
    }
    Ok(outcomes)
}

impl World<'_> {
    fn initial_reference(&self) -> String {
        format!("InterfaceRepository={}", self.reference)
    }

    fn judged(&self, name: &str, result: Checked) -> Outcome {
        Outcome::judged(self.pairing, name, result)
    }

    fn omniorb(&self) -> Result<Vec<Outcome>, String> {
        let told = ["-ORBInitRef", &self.initial_reference()];
        let (server, object) = start_server(None, 2, self.folder.path(), &told)?;
        let mut command = peers::program(OMNIORB, "repository");
        command.arg(object).args(told);
        let client = Process::start("omniORB's client of the repository", &mut command)?;
        let (lines, status) = client.end(LIMIT)?;
        let mut outcomes = printed(&format!("{}/omniorb", self.pairing), &lines);
        let passed = lines.iter().filter(|line| line.starts_with("ok ")).count();
        let ended = match totals(&lines) {
            Some((said, _)) if said == passed && passed > 0 => Ok(()),
            _ => Err(format!("it ended with {status}, and {:?}", lines.last())),
        };
        outcomes.push(self.judged("omniorb/client_ends", ended));
        outcomes.push(self.judged("omniorb/server_ends", server.end_well()));
        outcomes.push(self.judged("omniorb/server_tells_its_interface", self.omniorb_server()));
        Ok(outcomes)
    }

    fn omniorb_server(&self) -> Checked {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let told = ["-ORBInitRef", &self.initial_reference()];
        let (server, object) = start_server(Some(OMNIORB), 2, folder.path(), &told)?;
        self.calls(OMNIORB, &object, "\"omniORB\"")?;
        server.end_well()
    }

    fn jacorb(&self) -> [Outcome; 2] {
        [
            self.judged("jacorb/query_writes_idl", self.query()),
            self.judged("jacorb/server_tells_its_interface", self.jacorb_server()),
        ]
    }

    /// A Java program that is told of the repository.
    fn java(&self, which: &str) -> Command {
        let mut command = peers::program(JACORB, which);
        let options = format!(
            "-Dorg.omg.CORBA.ORBClass=org.jacorb.orb.ORB \
             -Dorg.omg.CORBA.ORBSingletonClass=org.jacorb.orb.ORBSingleton -DORBInitRef.{}",
            self.initial_reference()
        );
        command.env("JAVA_TOOL_OPTIONS", options);
        command
    }

    /// JacORB's tool writes the IDL of a module again.
    fn query(&self) -> Checked {
        let mut command = self.java("query");
        command.arg("IDL:shapes.zorb.test/Shapes:1.0");
        let (lines, _) = Process::start("JacORB's QueryIR", &mut command)?.end(LIMIT)?;
        let text = lines.join("\n");
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let parts = [
            "enum Colour {RED,GREEN,BLUE};",
            // It takes the prefix of ids for a part of names.
            "struct Segment { shapes.zorb.test::Shapes::Point head; ",
            "typedef sequence <shapes.zorb.test::Shapes::Point> Path;",
            "exception Degenerate {",
        ];
        match parts.iter().find(|part| !words.contains(**part)) {
            None => Ok(()),
            Some(part) => Err(format!("{part:?} is not in\n{text}")),
        }
    }

    fn jacorb_server(&self) -> Checked {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let file = folder.path().join("suite.ior");
        let mut command = self.java("server");
        command.arg("--ior-file").arg(&file);
        let mut server = Process::start("the server of jacorb", &mut command)?;
        server.wait_until(|_| file.exists())?;
        let object = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
        self.calls(JACORB, object.trim(), "\"JacORB\"")?;
        server.end_well()
    }

    /// `zorb call`, which knows neither IDL nor repository, finds the types.
    fn calls(&self, peer: Peer, object: &str, expected: &str) -> Checked {
        let mut command = peers::zorb();
        command.args(["call", object, "peer"]);
        let (said, status) = Process::start("zorb call", &mut command)?.end_with_errors(LIMIT)?;
        match status.success() && said.trim() == expected {
            true => Ok(()),
            false => Err(format!("the server of {peer} is {said:?}, {status}")),
        }
    }
}
