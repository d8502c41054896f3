//! The program that measures a call of the small ORB: client and server in one process, each in a thread of its own.
//!
//! Marks are as in `zorb-costs-subject`. Apart from the empty phase there is one operation, a call without arguments
//! and no result, of the first or the last object of the server; by its key or by one with its index.
#![forbid(unsafe_code)]

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use zorb_costs::mark_phase;
use zorb_costs::operation::WARM_UP;
use zorb_nano::{
    Answer, Client, Interface, Limits, Linux, Operations, Os, Reader, Reference, Servant, Server,
    SystemException, Writer, forward_os,
};

const USAGE: &str = "usage: zorb-costs-small CALLS [empty|void|last|first-indexed|last-indexed]...";

/// The keys of the objects, as many as a server has by default.
const OBJECTS: std::ops::Range<u8> = b'a'..b'a' + 16;

/// The key of an object: they differ in the last octet.
fn key(letter: u8) -> [u8; 8] {
    [b'c', b'o', b'u', b'n', b't', b'e', b'd', letter]
}

static INTERFACE: Interface =
    Interface { ids: &["IDL:Costs/Counted:1.0"], operations: &Operations::<1>::new(&["nothing"]) };

/// Under callgrind and on a busy machine a call takes its time.
const LIMITS: Limits = Limits::DEFAULT.timeout(Duration::from_secs(60));

/// Linux with a clock that a microsecond passes at each look, so that calls follow each other as they do where neither
/// callgrind nor other work slows them down.
struct Steady {
    linux: Linux,
    now: Duration,
}

impl Steady {
    fn new(sockets: u16) -> Self {
        Self { linux: Linux::new(sockets), now: Duration::ZERO }
    }
}

impl Os for Steady {
    fn now(&mut self) -> Duration {
        // The instructions of the look count.
        black_box(self.linux.now());
        self.now += Duration::from_micros(1);
        self.now
    }

    forward_os!(
        linux: priority, connect, listen, port, accept, read, read_within, write, close, poll
    );
}

struct Counted;

impl Servant for Counted {
    fn interface(&self) -> &'static Interface {
        &INTERFACE
    }

    fn invoke(
        &mut self,
        _operation: usize,
        arguments: &mut Reader<'_>,
        _results: &mut Writer<'_>,
    ) -> Result<Answer, SystemException> {
        arguments.end()?;
        Ok(Answer::Results)
    }
}

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.split_first() {
        Some((calls, operations)) => measure(calls, operations),
        None => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The references of the first and the last object: by their keys, and by those with an index.
struct References {
    void: Reference,
    last: Reference,
    first_indexed: Reference,
    last_indexed: Reference,
}

impl References {
    fn of(server: &mut Server<'_, Steady>) -> Result<Self, SystemException> {
        let [first, last] = [OBJECTS.start, OBJECTS.end - 1].map(key);
        Ok(Self {
            void: server.reference(&first)?,
            last: server.reference(&last)?,
            first_indexed: server.indexed_reference(&first)?,
            last_indexed: server.indexed_reference(&last)?,
        })
    }

    /// The object that an operation calls.
    fn by_name(&self, name: &str) -> Option<&Reference> {
        match name {
            "void" => Some(&self.void),
            "last" => Some(&self.last),
            "first-indexed" => Some(&self.first_indexed),
            "last-indexed" => Some(&self.last_indexed),
            _ => None,
        }
    }
}

/// Serves until the process ends; `ready` gets the references of the objects.
fn serve(ready: &Sender<Result<References, SystemException>>) -> Result<(), SystemException> {
    let endpoint = format!("uiop://@zorb-costs-{}", std::process::id()).parse()?;
    let mut server = Server::new(Steady::new(3), endpoint, LIMITS.max_connections(1))?;
    for letter in OBJECTS {
        server.register(&key(letter), Box::new(Counted))?;
    }
    let references = References::of(&mut server);
    if ready.send(references).is_err() {
        return Ok(());
    }
    while server.perform_work(None).is_ok() {}
    Ok(())
}

fn measure(calls: &str, operations: &[String]) -> Outcome {
    let calls: u32 = calls.parse()?;
    let (ready, started) = channel();
    std::thread::spawn(move || {
        if let Err(exception) = serve(&ready) {
            // Without the client there is no process.
            let _ = ready.send(Err(exception));
        }
    });
    let failed = |exception: SystemException| format!("{exception:?}");
    let references = started.recv()?.map_err(failed)?;
    let mut client = Client::new(Steady::new(1), LIMITS);
    for name in operations {
        let counted = references.by_name(name);
        let mut repeat = |times: u32| {
            let Some(counted) = counted else { return Ok(()) };
            (0..times).try_for_each(|_| {
                let mut reply = client.call(counted, "nothing", &mut |_| Ok(()))?;
                reply.results()?.end()
            })
        };
        repeat(WARM_UP).map_err(failed)?;
        mark_phase(&format!("begin {name}"));
        repeat(calls).map_err(failed)?;
        mark_phase(&format!("end {name}"));
    }
    Ok(())
}
