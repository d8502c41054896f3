//! A client that calls while its server and the repository are killed again and again.

use std::io::{BufRead as _, BufReader, Lines, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use zorb::Orb;
use zorb_imr::KEY;
use zorb_imr::server::ImplementationRepository;
use zorb_imr::server_repository::Repository;
use zorb_store::{FileStore, FileStoreOptions};
use zorb_testkit::free_port;

use crate::support::{Teller, key, kill, options, orb, runs, settings, until_answered};

/// The variable with the folder of the repository's store, and that with its address.
const STORE: &str = "TEST_STORE";
const LISTEN: &str = "TEST_REPOSITORY";
/// What the repository prints when it serves.
const SERVING: &str = "the repository serves";

#[test]
#[ignore = "the repository of the other test, which starts it in a process of its own"]
fn the_repository() {
    let Ok(folder) = std::env::var(STORE) else { return };
    let server = orb().listen(std::env::var(LISTEN).unwrap()).build().unwrap();
    let store = FileStore::open(Path::new(&folder).join("store"), &FileStoreOptions::new());
    let settings = settings(Path::new(&folder));
    let store = Arc::new(store.unwrap());
    let service = ImplementationRepository::serve_stored(&server, &settings, store).unwrap();
    service.publish(&server).unwrap();
    server.serve().unwrap();
    println!("\n{SERVING}");
    // Until it is killed, or the test has ended.
    let _ = std::io::stdin().read(&mut [0]);
    std::process::exit(0);
}

/// The process of a repository, which is killed when this is dropped.
struct RepositoryProcess {
    process: Child,
    // It may go on printing.
    _printed: Lines<BufReader<ChildStdout>>,
}

impl RepositoryProcess {
    fn start(url: &str, folder: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["chaos::the_repository", "--exact", "--include-ignored", "--nocapture"]);
        command.env(LISTEN, url).env(STORE, folder);
        let mut repository = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut printed = BufReader::new(repository.stdout.take().unwrap()).lines();
        let serves = printed.any(|line| line.unwrap() == SERVING);
        let repository = Self { process: repository, _printed: printed };
        assert!(serves, "the repository does not start");
        repository
    }
}

impl Drop for RepositoryProcess {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// A variable with a number of kills.
fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable).map_or(default, |text| text.parse().unwrap())
}

/// `IMR_SERVER_KILLS` and `IMR_REPOSITORY_KILLS` set the numbers of kills.
#[test]
fn clients_survive_their_servers_and_the_repository() {
    let (of_servers, of_repository) =
        (number("IMR_SERVER_KILLS", 6), number("IMR_REPOSITORY_KILLS", 3));
    let folder = tempfile::tempdir().unwrap();
    // An address without clients, lest one of them takes the port.
    let address = free_port("127.0.0.14");
    let url = format!("iiop://{address}");
    let mut repository = Some(RepositoryProcess::start(&url, folder.path()));
    let client: Orb = orb().build().unwrap();
    let administration: Repository =
        client.resolve(&format!("corbaloc::1.2@{address}/{KEY}")).unwrap();
    administration.add_or_update_server("Shop", &options("Shop")).unwrap();
    let teller = client.string_to_object(&format!("corbaloc::1.2@{address}/{}", key("Shop")));
    let teller: Teller = teller.unwrap().unwrap().unchecked_narrow();
    let mut value = 0;
    let mut calls = |count: usize| {
        for _ in 0..count {
            value += 1;
            assert_eq!(until_answered(|| teller.twice(value)), value * 2);
        }
        until_answered(|| teller.process())
    };
    let mut server = calls(10);
    for kills in 0..of_servers.max(of_repository) {
        if kills < of_repository {
            drop(repository.take());
            assert_eq!(teller.process().unwrap(), server, "a client does not need it");
            // The server may also end while the repository is not there.
            if kills % 2 == 1 {
                kill(server);
            }
            repository = Some(RepositoryProcess::start(&url, folder.path()));
        }
        if kills < of_servers && runs(server) {
            kill(server);
        }
        let next = calls(10);
        assert!(next != server || kills >= of_servers, "{server} has been killed");
        server = next;
    }
    kill(server);
    client.shutdown(true).unwrap();
    drop(repository);
}
