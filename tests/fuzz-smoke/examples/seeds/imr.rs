//! Seeds of the targets `imr` and `stored_servers`.

use std::ops::ControlFlow;
use std::sync::Arc;

use zorb::Orb;
use zorb_cdr::{CdrResult, CdrWriter, Wire};
use zorb_fuzz_smoke::targets::imr::OBJECT_KEY;
use zorb_giop::GiopVersion;
use zorb_imr::implementation_repository::{ActivationMode, EnvironmentVariable, StartupOptions};
use zorb_imr::server::{ImplementationRepository, ImrOptions};
use zorb_imr::server_repository::Selection;
use zorb_os::machine;
use zorb_store::{MemoryStore, Store};

use crate::calls::request;
use crate::seed;

pub(crate) fn write() {
    messages();
    stored();
    seed("stored_servers", "command-line", b"\x02server 'a b' c\\ d \"e\\\"f\" ''");
    seed("stored_servers", "command-line-open", b"\x03server 'a b");
}

fn messages() {
    let name = |writer: &mut CdrWriter<'_>| String::write("Shop", writer);
    let ask = |seed_name, operation, body: &dyn Fn(&mut CdrWriter<'_>) -> CdrResult<()>| {
        seed("imr", seed_name, request(GiopVersion::V1_2, OBJECT_KEY, operation, body));
    };
    ask("call-find", "find", &name);
    ask("call-list", "list", &|writer| {
        u32::write(&1, writer)?;
        bool::write(&true, writer)
    });
    ask("call-status", "status", &|writer| {
        String::write("Bank", writer)?;
        u32::write(&9, writer)
    });
    ask("refused-start", "activate_server", &name);
    ask("refused-remove", "remove_server", &name);
    ask("refused-register", "server_is_running", &|writer| {
        name(writer)?;
        String::write("corbaloc:iiop:1.2@127.0.0.1:1/", writer)?;
        String::write("", writer)?;
        u32::write(&0, writer)
    });
    for (seed_name, key) in [
        ("server-zorb", &b"Z\x02\0\x05Shop\0id"[..]),
        ("server-jacorb", b"shop/ShopPOA/id"),
        ("server-unknown", b"Nobody"),
    ] {
        seed("imr", seed_name, request(GiopVersion::V1_2, key, "twice", |_| Ok(())));
    }
    let published = request(GiopVersion::V1_0, b"ImplRepoService", "find", name);
    seed("imr", "published", published);
}

/// The rows of a repository.
fn stored() {
    let orb = Orb::builder().without_environment().build().expect("an ORB");
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let options = ImrOptions::default();
    let served = ImplementationRepository::serve_stored(&orb, &options, Arc::clone(&store));
    let repository = served.expect("a repository").reference();
    let variable = EnvironmentVariable { name: "LANG".to_owned(), value: "\u{fc}".to_owned() };
    let startup = StartupOptions {
        command_line: "server 'a b'".to_owned(),
        environment: vec![variable],
        working_directory: "/tmp".to_owned(),
        activation: ActivationMode::Manual,
        activator: "host".to_owned(),
        start_limit: 3,
    };
    repository.add_or_update_server("full", &startup).expect("a server");
    repository.set_instances("full", 3, Selection::ByKey).expect("a server");
    let address = "corbaloc:iiop:1.2@127.0.0.1:1/";
    repository.server_is_running("plain", address, None).expect("a server");
    for (choice, table) in [(0, "imr.servers"), (1, "imr.running")] {
        let mut write = |name: &[u8], value: &[u8]| {
            let name = format!("{table}-{}", String::from_utf8_lossy(name));
            seed("stored_servers", &name, [&[choice], &*without_boot_id(value)].concat());
            ControlFlow::Continue(())
        };
        store.scan(table, &mut write).expect("a store in memory");
    }
    orb.shutdown(true).expect("an end");
}

/// A row with a number in place of the machine's own one, which is another one after each start.
fn without_boot_id(row: &[u8]) -> Vec<u8> {
    let mut row = row.to_vec();
    let Some(own) = machine::boot_id() else { return row };
    let found = row.windows(own.len()).position(|octets| octets == own.as_bytes());
    if let Some(place) = found.and_then(|at| row.get_mut(at..at + own.len())) {
        place.iter_mut().filter(|octet| octet.is_ascii_hexdigit()).for_each(|octet| *octet = b'0');
    }
    row
}
