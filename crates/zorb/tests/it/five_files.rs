//! One program over five protocols: a configuration file chooses.
#![cfg(feature = "udp")]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, channel};

use crate::support::{Notice, NoticeServant};
use zorb::Orb;
use zorb::giop::{Ior, ProfileTag};

/// Selects the role of the program: `server`, or the reference that a client calls.
const ROLE: &str = "THE_PROGRAM_IS";

struct Board(Sender<(u32, usize)>);

impl NoticeServant for Board {
    fn post(&self, number: u32, data: &[u8]) {
        // The program ends after the first call.
        let _ = self.0.send((number, data.len()));
    }

    fn count(&self) -> zorb::Result<i32> {
        Ok(0)
    }
}

/// It names no protocol.
#[test]
#[ignore = "the program that the other test runs"]
fn the_program() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let orb = Orb::new().unwrap();
    if role == "server" {
        let (sender, posted) = channel();
        let notice: Notice = orb.root_poa().activate(Board(sender)).unwrap();
        println!("\n{}", notice.object().to_ior_string());
        let (number, octets) = posted.recv().unwrap();
        println!("\nposted {number} {octets}");
    } else {
        let notice: Notice = orb.resolve(&role).unwrap();
        notice.post(7, &[1; 100]).unwrap();
        // A datagram may be lost; a server that has heard one is gone.
        let posted = (0..100).map(|_| notice.post(7, &[1; 100]));
        let _ = posted.take_while(Result::is_ok).count();
    }
    orb.shutdown(true).unwrap();
}

fn run(role: &str, file: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "five_files::the_program", "--ignored", "--nocapture"])
        .env("ZORB_CONFIG", file)
        .env(ROLE, role)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn one_program_runs_over_five_protocols_by_five_files() {
    let folder = tempfile::tempdir().unwrap();
    for (scheme, endpoint, tag) in [
        ("iiop", "iiop://127.0.0.1:0", ProfileTag::INTERNET_IOP),
        ("lite+iiop", "lite+iiop://127.0.0.1:0", ProfileTag::ZORB_LITE_IIOP),
        ("uiop", "uiop://", ProfileTag::TAO_UIOP),
        ("diop", "diop://127.0.0.1:0", ProfileTag::TAO_DIOP),
        ("shmiop", "shmiop://", ProfileTag::TAO_SHMIOP),
    ] {
        let path = folder.path().join(format!("{scheme}.toml"));
        let mut file = std::fs::File::create(&path).unwrap();
        writeln!(file, "protocols = [{scheme:?}]\nlisten_endpoints = [{endpoint:?}]").unwrap();
        let mut server = run("server", &path);
        let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let mut line = |beginning: &str| {
            lines.by_ref().map(Result::unwrap).find(|line| line.starts_with(beginning)).unwrap()
        };
        let reference = line("IOR:");
        let tags: Vec<_> =
            Ior::from_stringified(&reference).unwrap().profiles.iter().map(|it| it.tag).collect();
        assert_eq!(tags, [tag], "{scheme}");
        let mut client = run(&reference, &path);
        assert_eq!(line("posted"), "posted 7 100", "{scheme}");
        let mut said = String::new();
        client.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(client.wait().unwrap().success(), "{scheme}: {said}");
        assert!(server.wait().unwrap().success(), "{scheme}");
    }
}
