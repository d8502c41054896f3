use super::*;

fn options() -> Options {
    Options::parsed("")
}

fn labels(works: &[Work]) -> Vec<String> {
    works.iter().map(|work| format!("{} {}", work.label, work.payload)).collect()
}

fn run_of(work: &Work) -> Run {
    match work.command {
        Command::Run(run) => run,
        other => panic!("{other:?} is no run"),
    }
}

#[test]
fn latency_goes_by_powers_of_two() {
    let labels = labels(&works(&options(), LATENCY));
    assert_eq!(labels[..3], ["ping 0", "echo_octets 4", "echo_octets 8"]);
    assert!(labels.contains(&"echo_octets 65536".to_owned()));
    assert!(labels.contains(&"echo_structs 98304".to_owned()));
    assert_eq!(labels.last().unwrap(), "echo_doubles 32768");
}

#[test]
fn payloads_can_be_chosen_and_are_whole_elements() {
    let chosen = Options::parsed("--payload 100,101");
    let expected = [
        "ping 0",
        "echo_octets 100",
        "echo_octets 101",
        "echo_structs 96",
        "echo_longs 100",
        "echo_doubles 96",
    ];
    assert_eq!(labels(&works(&chosen, LATENCY)), expected);
}

#[test]
fn the_prescribed_cubes_are_a_hundred_thousand() {
    let works = works(&options(), CUBIT);
    assert_eq!(works.len(), 11);
    assert!(works.iter().all(|work| run_of(work).calls * 20 == 100_000));
}

#[test]
fn threads_go_to_64_both_ways() {
    let works = threads(&options());
    let threads: Vec<_> = works.iter().map(run_of).map(|run| (run.threads, run.shared)).collect();
    assert_eq!(threads.len(), 14);
    assert_eq!((threads[0], threads[6], threads[13]), ((1, false), (64, false), (64, true)));
    assert_eq!(works[6].label, "ping/threads=64/own");
}

#[test]
fn calls_of_the_same_process_come_in_whole_batches() {
    for work in works(&Options::parsed("--calls 7"), COLLOCATED) {
        let run = run_of(&work);
        assert_eq!((run.calls, run.batch), (100, 100));
    }
}
