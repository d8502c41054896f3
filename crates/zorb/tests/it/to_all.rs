//! One call of many objects, each over a protocol of its own: all servants get the same arguments.
#![cfg(all(feature = "short", feature = "shm", feature = "tls", feature = "unix"))]
#![allow(clippy::unwrap_used, clippy::use_self, missing_debug_implementations)]

use std::cell::Cell;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use crate::certificates::Authority;
use zorb::codegen::{self, Octets};
use zorb::giop::IiopProfile;
use zorb::{CdrWriter, ObjectRef, Orb, Pending, Result, Wire as _};

/// What it got: arguments whose encoding depends on a connection's code set and on their alignment.
type Arguments = (String, f64, Vec<u8>);

/// An interface with the operation `double keep(in string text, in double number, in sequence<octet> data)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Keeper(ObjectRef);

codegen::interface!(Keeper(ObjectRef), "IDL:zorb.test/Keeper:1.0", "Keeper", []);

trait KeeperServant: Send + Sync + 'static {
    fn keep(&self, text: &str, number: f64, data: &[u8]) -> Result<f64>;
}

codegen::skeleton!(Keeper, KeeperServant, {
    0 "keep" keep(text: String => &text, number: f64 => number, data: Octets => data) [result: f64],
});

/// More than any machine needs for a call.
const LONG: Duration = Duration::from_secs(60);

/// Passes the arguments on, and returns the number with its own added.
struct Keeping {
    own: f64,
    kept: mpsc::Sender<Arguments>,
}

impl KeeperServant for Keeping {
    fn keep(&self, text: &str, number: f64, data: &[u8]) -> Result<f64> {
        self.kept.send((text.to_owned(), number, data.to_vec())).unwrap();
        Ok(number + self.own)
    }
}

const URLS: [&str; 8] = [
    "iiop://127.0.0.1:0",
    "uiop://",
    "shmiop://",
    "ssliop://127.0.0.1:0",
    "lite+iiop://127.0.0.1:0",
    "lite+uiop://",
    "short+iiop://127.0.0.1:0",
    "short+uiop://",
];

/// An ORB that listens at `url`, and has what TLS needs.
fn orb(folder: &Path, url: &str) -> Orb {
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    Orb::builder()
        .without_environment()
        .listen(url)
        .option("SsliopRoots", path("ca.pem"))
        .option("SsliopCertificate", path("server.pem"))
        .option("SsliopKey", path("server.key"))
        .build()
        .unwrap()
}

#[test]
fn one_call_goes_to_objects_over_all_protocols() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new("authority");
    authority.write(folder.path());
    authority.server().write(folder.path(), "server");
    let client = orb(folder.path(), "uiop://");
    let mut all_kept = Vec::new();
    let mut activate = |orb: &Orb| -> Keeper {
        let (kept, receiver) = mpsc::channel();
        let own = all_kept.len() as f64;
        all_kept.push(receiver);
        orb.root_poa().activate(Keeping { own, kept }).unwrap()
    };
    let mut targets = Vec::new();
    let servers = URLS.map(|url| {
        let server = orb(folder.path(), url);
        let keeper = activate(&server);
        assert_eq!(keeper.0.ior().profiles.len(), 1, "{url}");
        let there: Keeper = client.resolve(&keeper.0.to_ior_string()).unwrap();
        targets.push((url.to_owned(), there.0));
        server
    });
    // GIOP 1.0 aligns arguments otherwise, and negotiates no code set for them.
    let [iiop, ..] = &servers;
    let profile = IiopProfile::decode(&activate(iiop).0.ior().profiles[0].data).unwrap();
    let key: String = profile.object_key.iter().map(|octet| format!("%{octet:02x}")).collect();
    let old = format!("corbaloc:iiop:1.0@127.0.0.1:{}/{key}", profile.port);
    let object = client.string_to_object(&old).unwrap().unwrap();
    targets.push((old, object));
    targets.push(("collocated".to_owned(), activate(&client).0));

    let encoded = Cell::new(0);
    let data: Vec<u8> = (0..5000_u32).map(|at| at as u8).collect();
    let arguments = |writer: &mut CdrWriter<'_>| {
        encoded.set(encoded.get() + 1);
        String::write("Stra\u{df}e", writer)?;
        f64::write(&1.5, writer)?;
        writer.write_octets(&data)
    };
    let check_kept = || {
        for (kept, (name, _)) in all_kept.iter().zip(&targets) {
            let kept = kept.recv_timeout(LONG);
            assert!(kept == Ok(("Stra\u{df}e".to_owned(), 1.5, data.clone())), "{name}");
        }
    };
    // The second round finds connections, whose requests leave out what the first ones established.
    for _round in 1..=2 {
        encoded.set(0);
        let objects = targets.iter().map(|(_, object)| object);
        let pending: Vec<Pending<f64>> =
            ObjectRef::send_to_all(objects, "keep", arguments, |reader| reader.read_f64());
        assert_eq!(pending.len(), targets.len());
        for (own, (call, (name, _))) in pending.into_iter().zip(&targets).enumerate() {
            assert_eq!(call.wait(), Ok(1.5 + own as f64), "{name}");
        }
        println!("{} encodings for {} targets", encoded.get(), targets.len());
        check_kept();
    }
    // Its reply is discarded. The arguments are long enough to be sent from where they are.
    let objects = targets.iter().map(|(_, object)| object);
    let sent = ObjectRef::send_oneway_to_all(objects, "keep", arguments);
    assert_eq!(sent, vec![Ok(()); targets.len()]);
    check_kept();
    client.shutdown(true).unwrap();
    servers.iter().for_each(|server| server.shutdown(true).unwrap());
}
