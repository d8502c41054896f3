use zorb_testkit::{in_own_process, limit_address_space};

use super::activity::NAME_OCTETS;
use super::*;

#[test]
fn a_thread_knows_who_counts_it() {
    let (own, other) = (ThreadCount::new(usize::MAX), ThreadCount::new(usize::MAX));
    let (tell, told) = std::sync::mpsc::channel();
    let counts = [Arc::clone(&own), Arc::clone(&other)];
    let body = move || {
        tell.send(counts.each_ref().map(|count| count.counts_this_thread())).unwrap();
        let mut moved = counts[1].enter();
        moved.is_this_thread();
        tell.send(counts.each_ref().map(|count| count.counts_this_thread())).unwrap();
    };
    own.spawn("counted", body).unwrap();
    assert_eq!(told.recv().unwrap(), [true, false]);
    assert_eq!(told.recv().unwrap(), [false, true]);
    assert!(!own.counts_this_thread());
    own.join();
}

#[test]
fn a_thread_for_which_there_is_no_memory_is_not_started() {
    let name = "threads::tests::a_thread_for_which_there_is_no_memory_is_not_started";
    in_own_process(name, || {
        let count = ThreadCount::new(usize::MAX);
        // Some have room for the stack, but not for that of signals, without which the process ends.
        for pages in 0..16 {
            limit_address_space((2 << 20) + (pages << 12));
            let (tell, told) = std::sync::mpsc::channel();
            let tells = move || {
                let _ = tell.send(());
            };
            if count.spawn("counted", tells).is_ok() {
                told.recv().unwrap();
            }
            count.join();
        }
        assert_eq!(count.spawn("counted", || {}).unwrap_err().kind(), io::ErrorKind::OutOfMemory);
        assert!(count.is_empty());
    });
}

#[test]
fn threads_that_do_not_end_are_named_with_their_operation() {
    let count = ThreadCount::new(8);
    let (stuck, freed) = std::sync::mpsc::channel::<()>();
    let (begun, has_begun) = std::sync::mpsc::channel();
    count
        .spawn("server", move || {
            record_operation(b"an_operation_whose_name_is_longer_than_others");
            record_operation(b"withdraw");
            begun.send(()).unwrap();
            let _ = freed.recv();
        })
        .unwrap();
    has_begun.recv().unwrap();
    let running = count.join_within(Duration::ZERO);
    let [thread] = running.as_slice() else { panic!("{running:?}") };
    assert_eq!((thread.thread(), &*thread.operation()), ("server", "withdraw"));
    drop(stuck);
    count.join();
    assert!(count.join_within(Duration::ZERO).is_empty());
}

#[test]
fn a_thread_that_waits_for_a_client_is_idle() {
    let count = ThreadCount::new(8);
    let (tell, told) = std::sync::mpsc::channel();
    let (free, freed) = std::sync::mpsc::channel::<()>();
    let body = move || {
        while_idle(|| {
            tell.send(()).unwrap();
            freed.recv().unwrap();
        });
        tell.send(()).unwrap();
        let _ = freed.recv();
    };
    count.spawn("sender", body).unwrap();
    let is_idle = || count.join_within(Duration::ZERO)[0].is_idle();
    told.recv().unwrap();
    assert!(is_idle());
    free.send(()).unwrap();
    told.recv().unwrap();
    assert!(!is_idle());
    drop(free);
    count.join();
}

#[test]
fn upcalls_of_other_threads_are_named_with_their_operation() {
    let count = ThreadCount::new(8);
    let running = || {
        let threads = count.join_within(Duration::ZERO);
        threads.iter().map(|thread| thread.operation()).collect::<Vec<_>>()
    };
    let outer = count.enter_upcall(b"outer");
    {
        let _inner = count.enter_upcall(b"inner");
        assert_eq!(running(), ["inner"]);
    }
    assert_eq!(running(), ["outer"]);
    let named = count.join_within(Duration::ZERO);
    assert_eq!(Some(named[0].thread()), std::thread::current().name());
    drop(outer);
    assert!(running().is_empty() && count.is_empty());
}

#[test]
fn threads_have_the_id_of_their_orb_in_their_names() {
    let (plain, front) = (ThreadCount::new(8), ThreadCount::of_orb(8, "front").beside());
    assert_eq!(plain.thread_name("zorb-serve"), "zorb-serve");
    assert_eq!(front.thread_name("zorb-serve"), "front-serve");
    assert_eq!(front.thread_name("telemetry"), "telemetry");
    let (tell, told) = std::sync::mpsc::channel();
    let name = || std::thread::current().name().map(str::to_owned);
    front.spawn("zorb-serve", move || tell.send(name()).unwrap()).unwrap();
    assert_eq!(told.recv().unwrap().as_deref(), Some("front-serve"));
}

#[test]
fn long_names_of_operations_are_cut() {
    let activity = ThreadActivity::new("server");
    let name = "an_operation_whose_name_is_longer_than_others";
    activity.set_operation(name.as_bytes());
    assert_eq!(activity.operation(), name[..NAME_OCTETS]);
}
