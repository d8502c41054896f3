//! Threads of connections to servers.

use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use zorb_arq::ArqTransport;
use zorb_os::thread::{affinity, set_affinity};
use zorb_os::thread_count::CountedThread;
use zorb_testkit::{in_own_process, until};
use zorb_transport::{ConnectOptions, ListenOptions, Transport};

/// The number of processors that each thread of this name may run on.
fn widths(name: &str) -> Vec<usize> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let width = |task: std::fs::DirEntry| {
        let status = std::fs::read_to_string(task.path().join("status")).ok()?;
        let value = |key: &str| status.lines().find_map(|line| line.strip_prefix(key));
        if value("Name:")?.trim() != name {
            return None;
        }
        let mask = value("Cpus_allowed:")?.trim().replace(',', "");
        let digits = mask.chars().filter_map(|digit| digit.to_digit(16));
        Some(digits.map(|digit| digit.count_ones() as usize).sum())
    };
    tasks.filter_map(|task| width(task.ok()?)).collect()
}

#[test]
fn the_timer_thread_may_run_on_all_processors() {
    // All threads of the process are looked at.
    in_own_process("threads::the_timer_thread_may_run_on_all_processors", || {
        let all = affinity().unwrap();
        // A socket that never answers, so that connecting takes until the timeout.
        let mute = UdpSocket::bind("127.0.0.1:0").unwrap();
        let transport = ArqTransport::new();
        let endpoint = transport.parse_endpoint(&mute.local_addr().unwrap().to_string()).unwrap();
        let is_found = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                set_affinity(&all[..1]).unwrap();
                let options = ConnectOptions::with_timeout(Some(Duration::from_millis(100)));
                while !is_found.load(Ordering::SeqCst) {
                    assert!(transport.connect(&endpoint, &options).is_err());
                }
            });
            let end = Instant::now() + Duration::from_secs(60);
            while !widths("zorb-arq-time").contains(&all.len()) && Instant::now() < end {
                std::thread::yield_now();
            }
            let found = widths("zorb-arq-time");
            is_found.store(true, Ordering::SeqCst);
            assert!(Instant::now() < end, "{found:?} of {}", all.len());
        });
    });
}

#[test]
fn the_thread_of_a_connection_is_among_those_of_the_process() {
    in_own_process("threads::the_thread_of_a_connection_is_among_those_of_the_process", || {
        let transport = ArqTransport::new();
        let acceptor = transport.listen("rudp://127.0.0.1:0", &ListenOptions::default()).unwrap();
        let before = CountedThread::count();
        let connect = || transport.connect(acceptor.endpoint(), &ConnectOptions::default());
        let streams = [connect().unwrap(), connect().unwrap()];
        assert_eq!(CountedThread::count(), before + 2);
        drop((streams, [acceptor.accept().unwrap(), acceptor.accept().unwrap()]));
        until(|| CountedThread::count() <= before);
    });
}
