//! Programs that servants and threads of other runtimes execute.

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};

use zorb_giop::IiopProfile;
use zorb_os::process::ProcessId;
use zorb_os::signal::Signal;
use zorb_os::thread::run_on_foreign;
use zorb_testkit::{LOCATE_REQUEST, in_own_process};
use zorb_types::{CompletionStatus, SystemExceptionKind, minor};

use crate::held::STRATEGIES;
use crate::support::{Acting, Echo, Served, builder, client, served_by};

/// What a program inherits of this process: its blocked and ignored signals, and its descriptors.
fn inherited() -> String {
    let script = "grep -E 'Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd";
    let output = Command::new("sh").args(["-c", script]).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn programs_that_servants_and_foreign_threads_execute_inherit_nothing_of_an_orb() {
    let name = "exec::programs_that_servants_and_foreign_threads_execute_inherit_nothing_of_an_orb";
    in_own_process(name, || {
        let before = inherited();
        for strategy in STRATEGIES {
            let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
            let Served { policies, pool: _pool, .. } = served_by(&orb, strategy, 1);
            let poa = orb.root_poa().create("executing", policies).unwrap();
            let seen = Arc::<Mutex<Vec<String>>>::default();
            let note = Arc::clone(&seen);
            let servant = Acting(move |value| {
                note.lock().unwrap().push(inherited());
                Ok(value)
            });
            let here: Echo = poa.activate(servant).unwrap();
            let (_client, there) = client(&here);
            // On a thread of the lane, and on foreign ones: in a collocated upcall, and outside of it.
            assert_eq!(there.twice(1), Ok(1), "{strategy:?}");
            run_on_foreign(|| {
                assert_eq!(here.twice(2), Ok(2), "{strategy:?}");
                seen.lock().unwrap().push(inherited());
            })
            .unwrap();
            assert_eq!(there.twice(3), Ok(3), "{strategy:?}");
            let seen = seen.lock().unwrap();
            assert_eq!(seen.len(), 4);
            seen.iter().for_each(|seen| assert_eq!(*seen, before, "{strategy:?}"));
            orb.shutdown(true).unwrap();
        }
    });
}

/// A program that runs until its standard input ends, or it gets a signal.
struct Running {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl Running {
    fn start(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { input: child.stdin.take(), child, output }
    }

    /// The next line of its output for which there is `wanted`.
    fn line<T>(&mut self, mut wanted: impl FnMut(&str) -> Option<T>) -> T {
        self.output.find_map(|line| wanted(&line.unwrap())).unwrap()
    }

    /// Checks that it is `cat`, which repeats its input.
    fn assert_is_cat(&mut self) {
        writeln!(self.input.as_ref().unwrap(), "still here").unwrap();
        self.line(|line| (line == "still here").then_some(()));
    }

    /// The number of its descriptors.
    fn descriptors(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap().count()
    }

    fn terminate(&mut self) {
        let id = ProcessId::of(self.child.id()).unwrap();
        id.signal_group(Signal::TERMINATE.number()).unwrap();
        let status = self.child.wait().unwrap();
        assert_eq!(status.signal(), Some(Signal::TERMINATE.number()));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_program_that_outlives_its_server_has_nothing_of_it_and_can_be_terminated() {
    let cat = || Running::start(&mut Command::new("cat"));
    let mut other = cat();
    other.assert_is_cat();
    let descriptors = other.descriptors();
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let started = Arc::<Mutex<Option<Running>>>::default();
    let starts = Arc::clone(&started);
    let servant = Acting(move |value| {
        *starts.lock().unwrap() = Some(cat());
        Ok(value)
    });
    let here: Echo = orb.root_poa().activate(servant).unwrap();
    let (client, there) = client(&here);
    assert_eq!(there.twice(1), Ok(1));
    let mut running = started.lock().unwrap().take().unwrap();
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
    running.assert_is_cat();
    assert_eq!(running.descriptors(), descriptors);
    running.terminate();
}

/// The variable that says on which thread the server replaces its program.
const REPLACES: &str = "TEST_SERVER_REPLACES_ITS_PROGRAM";
const THREADS: [&str; 2] = ["that of the upcall", "a foreign one"];

#[test]
#[ignore = "the server of the other test, which starts it in a process of its own"]
fn the_server() {
    let Ok(thread) = std::env::var(REPLACES) else { return };
    let orb = builder().listen("iiop://127.0.0.12:0").build().unwrap();
    let servant = Acting(move |value| {
        if value > 0 && thread == THREADS[0] {
            replace_program();
        } else if value > 0 {
            run_on_foreign(replace_program).unwrap();
        }
        Ok(value)
    });
    let echo: Echo = orb.root_poa().activate(servant).unwrap();
    println!("\n{}", echo.object().to_ior_string());
    // The test may end before the server gets its signal.
    std::thread::spawn(|| {
        let _ = std::io::stdin().read(&mut [0]);
        std::process::exit(0);
    });
    orb.run_until_signal().unwrap();
}

fn replace_program() {
    let error = Command::new("cat").exec();
    panic!("{error}");
}

#[test]
fn a_servant_may_replace_the_program_of_its_process() {
    for thread in THREADS {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["exec::the_server", "--exact", "--include-ignored", "--nocapture"]);
        let mut server = Running::start(command.env(REPLACES, thread));
        let ior = server.line(|line| line.starts_with("IOR:").then(|| line.to_owned()));
        let orb = builder().build().unwrap();
        let there: Echo = orb.resolve(&ior).unwrap();
        assert_eq!(there.twice(0), Ok(0));
        let profile = IiopProfile::decode(&there.object().ior().profiles[0].data).unwrap();
        let address = format!("{}:{}", profile.host, profile.port);
        let mut other = TcpStream::connect(&address).unwrap();
        other.write_all(LOCATE_REQUEST).unwrap();
        other.read_exact(&mut [0; 20]).unwrap();
        // All connections end with the program, which cannot say why.
        let lost = there.twice(1).unwrap_err();
        assert_eq!(lost.kind, SystemExceptionKind::CommFailure, "{thread}: {lost}");
        assert_eq!(lost.minor, minor::comm_failure::CONNECTION_LOST, "{thread}");
        assert_eq!(lost.completed, CompletionStatus::Maybe, "{thread}");
        assert_eq!(other.read(&mut [0; 16]).unwrap(), 0, "{thread}");
        server.assert_is_cat();
        // Its endpoint has gone, too, and so have its handlers of signals.
        drop(TcpListener::bind(&address).unwrap());
        let refused = there.twice(2).unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::Transient, "{thread}: {refused}");
        assert_eq!(refused.completed, CompletionStatus::No, "{thread}");
        server.terminate();
    }
}
