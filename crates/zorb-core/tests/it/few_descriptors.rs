//! A server with 64 descriptors, as by `ulimit -n 64`, in a flood of clients that wait for requests that are held.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use zorb_core::Orb;
use zorb_testkit::{connect_from, limit_descriptors};

use crate::held::{DONE, Raw, STRATEGIES, Scene, TWO_WAY, key, request};
use crate::support::{Acting, Echo, builder, until};

/// The variable with the index of the server's strategy.
const STRATEGY: &str = "TEST_SERVER_STRATEGY";
/// What precedes the address and the references that the server prints.
const SERVING: &str = "serving ";
/// The argument with which the control lets all held requests run.
const ACTIVATE: i32 = -1;
/// The connections that 64 descriptors permit, and how many of them one address may have.
const CONNECTIONS: usize = 48;
const OF_ADDRESS: usize = CONNECTIONS / 2;

#[test]
#[ignore = "the server of the other test, which starts it in a process of its own"]
fn the_server() {
    let Ok(strategy) = std::env::var(STRATEGY) else { return };
    limit_descriptors(64);
    let scene = Scene::with(STRATEGIES[strategy.parse::<usize>().unwrap()], builder());
    let manager = scene.manager.clone();
    let poa = scene.orb.root_poa().create("control", scene.policies.clone()).unwrap();
    let control: Echo = poa
        .activate(Acting(move |value| {
            if value == ACTIVATE {
                manager.activate().unwrap();
            }
            Ok(i32::try_from(manager.held_requests()).unwrap())
        }))
        .unwrap();
    let references = [&scene.held, &control].map(|echo| echo.object().to_ior_string());
    println!("\n{SERVING}{} {}", scene.address, references.join(" "));
    // Until the test has ended.
    let _ = std::io::stdin().read(&mut [0]);
    std::process::exit(0);
}

/// The process of a server, and its objects as a client sees them.
struct Server {
    process: Child,
    address: String,
    _client: Orb,
    held: Echo,
    control: Echo,
}

impl Server {
    fn start(strategy: usize) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([
            "few_descriptors::the_server",
            "--exact",
            "--include-ignored",
            "--nocapture",
        ]);
        command.env(STRATEGY, strategy.to_string());
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let printed = BufReader::new(process.stdout.take().unwrap()).lines();
        let line = printed.map(Result::unwrap).find(|line| line.starts_with(SERVING));
        let line = line.unwrap();
        let [address, held, control] = line[SERVING.len()..].split(' ').collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        let client = builder().build().unwrap();
        let [held, control] = [held, control].map(|reference| client.resolve(reference).unwrap());
        Self { process, address: address.to_owned(), _client: client, held, control }
    }

    fn connect(&self, from: &str) -> TcpStream {
        connect_from(from, &self.address).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// Whether the first message from the server is a reply.
fn has_reply(mut client: &TcpStream) -> bool {
    let mut header = [0; 12];
    client.read_exact(&mut header).is_ok() && (&header[..4], header[7]) == (b"GIOP", 1)
}

#[test]
fn with_64_descriptors_strangers_whose_requests_are_held_keep_nobody_out() {
    for (index, strategy) in STRATEGIES.iter().enumerate() {
        let server = Server::start(index);
        let held = || server.control.twice(0).unwrap();
        assert_eq!(held(), 0);
        let mut patient = Raw(server.connect("127.0.0.2"));
        patient.twice(&server.held, 1, TWO_WAY);
        until(|| held() == 1);
        let asks = request(&key(&server.held), 1, TWO_WAY);
        let mut strangers = Vec::new();
        for round in 2..12 {
            for from in ["127.0.0.3", "127.0.0.4"] {
                for _ in 0..10 {
                    let mut stranger = server.connect(from);
                    // It may have been closed already.
                    let _ = stranger.write_all(&asks);
                    strangers.push(stranger);
                }
            }
            // After all of these: a newcomer, and the client that is there.
            let mut newcomer = Raw(server.connect("127.0.0.5"));
            newcomer.twice(&server.control, round, TWO_WAY);
            assert_eq!(newcomer.reply(), (round, DONE), "{strategy:?}");
            assert!(held() >= 1);
        }
        // Those of connections that have been closed leave the queue.
        let held_on = || usize::try_from(held()).unwrap();
        until(|| (OF_ADDRESS..=CONNECTIONS).contains(&held_on()));
        // Whoever was there first has waited for longest, and has not been closed.
        server.control.twice(ACTIVATE).unwrap();
        assert_eq!(patient.reply(), (1, DONE), "{strategy:?}");
        let served = strangers.iter().filter(|stranger| has_reply(stranger)).count();
        let expected = OF_ADDRESS..=CONNECTIONS;
        assert!(expected.contains(&served), "{served} served, {strategy:?}");
    }
}
