//! Servers that are killed and started again: what their clients see, and that no request is executed twice.

use std::collections::{BTreeSet, HashMap};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use crate::support::{Acting, Echo, builder, until};
use zorb_core::Orb;
use zorb_core::poa::{Poa, PoaPolicies};
use zorb_testkit::free_port;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

/// The variable with the address of the server, and that with the file in which it notes what it executes.
const URL: &str = "TEST_SERVER_URL";
const EXECUTED: &str = "TEST_SERVER_EXECUTED";

/// What the server prints when it serves.
const SERVING: &str = "serving";

/// The adapter of the persistent object.
fn adapter(orb: &Orb) -> Poa {
    let policies = PoaPolicies::new().persistent().user_ids();
    orb.root_poa().create("killed", policies).unwrap()
}

#[test]
#[ignore = "the server of the other test, which starts it in a process of its own"]
fn the_server() {
    let Ok(url) = std::env::var(URL) else { return };
    let executed = OpenOptions::new().append(true).open(std::env::var(EXECUTED).unwrap()).unwrap();
    let orb = builder().listen(&*url).build().unwrap();
    let servant = Acting(move |value: i32| {
        (&executed).write_all(format!("{value}\n").as_bytes()).unwrap();
        Ok(value.wrapping_mul(2))
    });
    let _: Echo = adapter(&orb).activate_with_id("one", servant).unwrap();
    orb.serve().unwrap();
    println!("\n{SERVING}");
    // Until it is killed, or the test has ended.
    let _ = std::io::stdin().read(&mut [0]);
    std::process::exit(0);
}

/// The process of a server, which is killed when this is dropped.
struct Server(Child);

impl Server {
    fn start(url: &str, executed: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["killed::the_server", "--exact", "--include-ignored", "--nocapture"]);
        command.env(URL, url).env(EXECUTED, executed);
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut printed = BufReader::new(server.stdout.take().unwrap()).lines();
        assert!(printed.any(|line| line.unwrap() == SERVING), "the server does not start");
        Self(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        // Its connections are closed then.
        self.0.wait().unwrap();
    }
}

/// The outcomes of numbered calls.
#[derive(Default)]
struct Outcomes {
    numbers: AtomicI32,
    answered: AtomicI32,
    completed: Mutex<HashMap<i32, CompletionStatus>>,
    /// Exceptions that are no reason to try again.
    permanent: Mutex<BTreeSet<String>>,
}

impl Outcomes {
    /// Calls once.
    fn call(&self, there: &Echo) -> Result<(), SystemException> {
        let number = self.numbers.fetch_add(1, Ordering::SeqCst);
        let outcome = there.twice(number);
        let completed = match &outcome {
            Ok(answer) => {
                assert_eq!(*answer, number * 2);
                self.answered.fetch_add(1, Ordering::SeqCst);
                CompletionStatus::Yes
            }
            Err(error) => error.completed,
        };
        self.completed.lock().unwrap().insert(number, completed);
        outcome.map(drop)
    }

    /// Calls until there is an answer, or a call has failed for good.
    fn call_until_answered(&self, there: &Echo) {
        while !self.have_failed()
            && let Err(error) = self.call(there)
        {
            self.check_temporary(&error);
        }
    }

    /// Checks that an exception is one of a server that is not there at the moment: the request has not been sent, or
    /// it is not known how far the server came.
    fn check_temporary(&self, error: &SystemException) {
        let completed = match (error.kind, error.minor) {
            (SystemExceptionKind::CommFailure, minor::comm_failure::CONNECTION_LOST) => {
                Some(CompletionStatus::Maybe)
            }
            (SystemExceptionKind::CommFailure, minor::comm_failure::SEND_FAILED)
            | (SystemExceptionKind::Transient, _) => Some(CompletionStatus::No),
            _ => None,
        };
        if completed != Some(error.completed) {
            self.permanent.lock().unwrap().insert(format!("{error:?}"));
        }
    }

    fn have_failed(&self) -> bool {
        !self.permanent.lock().unwrap().is_empty()
    }

    /// Compares what the clients were told with what the servers have executed.
    fn check(&self, executed: &str) {
        let mut times = HashMap::<i32, u32>::new();
        for line in BufReader::new(File::open(executed).unwrap()).lines() {
            *times.entry(line.unwrap().parse().unwrap()).or_default() += 1;
        }
        for (number, completed) in &*self.completed.lock().unwrap() {
            let times = times.get(number).copied().unwrap_or_default();
            match completed {
                CompletionStatus::Yes => assert_eq!(times, 1, "call {number}"),
                CompletionStatus::No => assert_eq!(times, 0, "call {number}"),
                CompletionStatus::Maybe => assert!(times <= 1, "call {number}: {times} times"),
            }
        }
    }
}

#[test]
fn clients_see_no_permanent_error_as_a_server_is_killed_fifty_times() {
    // An address without clients, lest one of them takes the port.
    let url = format!("iiop://{}", free_port("127.0.0.11"));
    let earlier = builder().listen(&*url).build().unwrap();
    let echo: Echo = adapter(&earlier).create_reference_with_id("one").unwrap();
    let echo = echo.object().to_ior_string();
    earlier.shutdown(true).unwrap();
    let executed = std::env::temp_dir().join(format!("zorb-killed-{}", std::process::id()));
    File::create(&executed).unwrap();
    let executed = executed.to_str().unwrap();

    let outcomes = Outcomes::default();
    let is_done = AtomicBool::new(false);
    let clients = ["1", "4"].map(|calls| {
        let orb = builder().option("MaxCallsPerConnection", calls).build().unwrap();
        let there: Echo = orb.string_to_object(&echo).unwrap().unwrap().unchecked_narrow();
        (orb, there)
    });
    std::thread::scope(|scope| {
        // Whose servers are killed during calls.
        let callers = clients.each_ref().map(|(_, there)| {
            let (outcomes, is_done) = (&outcomes, &is_done);
            scope.spawn(move || {
                while !is_done.load(Ordering::SeqCst) && !outcomes.have_failed() {
                    outcomes.call_until_answered(there);
                }
            })
        });
        for _ in (0..50).take_while(|_| !outcomes.have_failed()) {
            let server = Server::start(&url, executed);
            let answered = outcomes.answered.load(Ordering::SeqCst);
            until(|| {
                outcomes.answered.load(Ordering::SeqCst) > answered + 2 || outcomes.have_failed()
            });
            // Whose server is killed between calls, right after its reply.
            clients.iter().for_each(|(_, there)| outcomes.call_until_answered(there));
            drop(server);
            for (_, there) in &clients {
                if let Err(error) = outcomes.call(there) {
                    outcomes.check_temporary(&error);
                }
            }
        }
        let server = Server::start(&url, executed);
        clients.iter().for_each(|(_, there)| outcomes.call_until_answered(there));
        is_done.store(true, Ordering::SeqCst);
        callers.into_iter().for_each(|caller| caller.join().unwrap());
        drop(server);
    });
    assert_eq!(*outcomes.permanent.lock().unwrap(), BTreeSet::new());
    outcomes.check(executed);
    std::fs::remove_file(executed).unwrap();
}
