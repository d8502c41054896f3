//! Targets with peers on other threads, each alone in its process: what their threads allocate counts too.

use zorb_fuzz_smoke::run::{Counted, run};
use zorb_fuzz_smoke::targets::{Target, bridge, handshake, realtime};
use zorb_testkit::in_own_process;

fn check(name: &str, target: &Target, least_seeds: usize, mutants: usize) {
    in_own_process(&format!("peers::{name}"), || {
        let report = run(target, mutants, Counted::Process);
        println!("{}: {report:?}", target.name);
        assert!(report.seeds >= least_seeds, "{} seeds: some are missing", report.seeds);
    });
}

#[test]
fn clients_of_bridges_do_no_harm() {
    check("clients_of_bridges_do_no_harm", &bridge::TARGET, 6, 1500);
}

#[test]
fn handshakes_over_shared_memory_do_no_harm() {
    check("handshakes_over_shared_memory_do_no_harm", &handshake::TARGET, 4, 2000);
}

#[test]
fn contexts_of_real_time_do_no_harm() {
    check("contexts_of_real_time_do_no_harm", &realtime::TARGET, 5, 1500);
}
