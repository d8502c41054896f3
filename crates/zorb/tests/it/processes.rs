//! What else happens in the process of an ORB: programs that it executes, threads of others, threads that end.
#![cfg(all(feature = "shm", feature = "toml", feature = "unix"))]
#![allow(clippy::unwrap_used)]

use std::cell::RefCell;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use crate::support::{Adder, AdderServant, Servant};
use zorb::{CollocationStrategy, Interface, Orb};
use zorb_testkit::in_own_process;

/// A server over all kinds of transports, and a client with a connection over each.
fn server_and_clients() -> (Orb, Orb, Vec<Adder>) {
    let builder = || Orb::builder().without_environment();
    let mut orb = builder();
    for url in ["iiop://127.0.0.1:0", "uiop://", "shmiop://", "lite+uiop://@"] {
        orb = orb.listen(url);
    }
    let orb = orb.build().unwrap();
    let adder: Adder = orb.root_poa().activate(Servant).unwrap();
    let client = builder().build().unwrap();
    let mut ior = adder.as_object().ior().clone();
    let profiles = std::mem::take(&mut ior.profiles);
    let adders: Vec<Adder> = profiles
        .into_iter()
        .map(|profile| {
            let ior = zorb::giop::Ior { type_id: ior.type_id.clone(), profiles: vec![profile] };
            client.resolve(&ior.to_stringified().unwrap()).unwrap()
        })
        .collect();
    assert!(adders.len() >= 4);
    assert!(adders.iter().all(|adder| adder.add(1, 2) == Ok(3)));
    (orb, client, adders)
}

/// The descriptors of a program that this process executes after `fork`.
fn descriptors_of_a_child() -> Vec<String> {
    // With a user id, even its own, the child is a copy of this process until it executes the program.
    let user = std::fs::metadata("/proc/self").unwrap().uid();
    let script = "for fd in /proc/self/fd/*; do readlink $fd || true; done";
    let output = Command::new("sh").args(["-c", script]).uid(user).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn executed_programs_inherit_no_descriptors() {
    in_own_process("processes::executed_programs_inherit_no_descriptors", || {
        let before = descriptors_of_a_child();
        let (orb, client, adders) = server_and_clients();
        let is_of_orb = |target: &&String| {
            ["socket:", "anon_inode:", "/memfd:", "/dev/shm"].iter().any(|it| target.contains(it))
        };
        let own = std::fs::read_dir("/proc/self/fd").unwrap().count();
        assert!(own > before.len() + 8, "{own} descriptors are open");
        let child = descriptors_of_a_child();
        assert_eq!(child.iter().filter(is_of_orb).count(), 0, "{child:?}");
        assert_eq!(child.len(), before.len(), "{child:?}");
        // Neither the child's copies of the descriptors nor its end disturb the connections.
        std::thread::scope(|scope| {
            let children = scope.spawn(|| (0..20).for_each(|_| drop(descriptors_of_a_child())));
            while !children.is_finished() {
                assert!(adders.iter().all(|adder| adder.add(1, 2) == Ok(3)));
            }
        });
        client.shutdown(true).unwrap();
        orb.shutdown(true).unwrap();
    });
}

/// Calls its objects when its thread ends.
struct Calls(Vec<Adder>, mpsc::Sender<usize>);

impl Drop for Calls {
    fn drop(&mut self) {
        let results: Vec<_> = self.0.iter().map(|adder| adder.add(1, 2)).collect();
        let _ = self.1.send(results.iter().filter(|result| **result == Ok(3)).count());
    }
}

thread_local! {
    /// Dropped after the ORB's variables of the thread, or before, depending on which is used first.
    static LAST_CALLS: RefCell<Option<Calls>> = const { RefCell::new(None) };
}

#[test]
fn threads_call_while_their_variables_are_dropped() {
    in_own_process("processes::threads_call_while_their_variables_are_dropped", || {
        let (orb, client, mut adders) = server_and_clients();
        // Objects of the same ORB: by the adapter, by messages, directly.
        let here: Adder = orb.root_poa().activate(Servant).unwrap();
        let strategies = [
            CollocationStrategy::ThruPoa,
            CollocationStrategy::Marshalled,
            CollocationStrategy::Direct,
        ];
        adders.extend(strategies.map(|strategy| here.with_collocation(strategy)));
        for calls_first in [true, false] {
            let (tell, told) = mpsc::channel();
            let theirs = adders.clone();
            let thread = std::thread::spawn(move || {
                let prepare = || {
                    LAST_CALLS.set(Some(Calls(theirs.clone(), tell.clone())));
                };
                if calls_first {
                    assert!(theirs.iter().all(|adder| adder.add(1, 2) == Ok(3)));
                    prepare();
                } else {
                    prepare();
                    assert!(theirs.iter().all(|adder| adder.add(1, 2) == Ok(3)));
                }
            });
            thread.join().unwrap();
            assert_eq!(told.recv().unwrap(), adders.len());
        }
        client.shutdown(true).unwrap();
        orb.shutdown(true).unwrap();
    });
}

/// A servant whose thread calls others when it ends.
struct Leaving(Mutex<Option<Calls>>, AtomicBool);

impl AdderServant for Leaving {
    fn add(&self, a: i32, b: i32) -> zorb::Result<i32> {
        if let Some(calls) = self.0.lock().unwrap().take() {
            LAST_CALLS.set(Some(calls));
        }
        self.1.store(true, Ordering::SeqCst);
        Ok(a + b)
    }

    fn mirror(&self, data: &[u8]) -> zorb::Result<Vec<u8>> {
        Ok(data.to_vec())
    }
}

#[test]
fn threads_of_the_orb_call_while_their_variables_are_dropped() {
    in_own_process("processes::threads_of_the_orb_call_while_their_variables_are_dropped", || {
        let (orb, client, adders) = server_and_clients();
        let (tell, told) = mpsc::channel();
        let count = adders.len();
        let leaving = Leaving(Mutex::new(Some(Calls(adders, tell))), AtomicBool::new(false));
        let leaving = Arc::new(leaving);
        let other = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let other = other.build().unwrap();
        let there: Adder = other.root_poa().activate_shared(&leaving).unwrap();
        let there: Adder = client.resolve(&there.to_ior_string()).unwrap();
        assert_eq!(there.add(3, 4), Ok(7));
        assert!(leaving.1.load(Ordering::SeqCst));
        other.shutdown(true).unwrap();
        assert_eq!(told.recv().unwrap(), count);
        client.shutdown(true).unwrap();
        orb.shutdown(true).unwrap();
    });
}
