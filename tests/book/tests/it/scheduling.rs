//! The chapter on scheduling agrees with the analysis.

use crate::support::made::check;
use crate::support::pages::{read, write};
use zorb_sched::{Schedule, Simulation, TaskFile, Time, timeline};

const PAGE: &str = "docs/src/scheduling.md";
const PICTURE: &str = "docs/src/images/schedule.svg";

fn flight() -> (String, Schedule) {
    let text = read("docs/examples/flight.toml");
    let file = TaskFile::parse(&text).unwrap();
    (text, Schedule::compute(&file.set, &file.system).unwrap())
}

#[test]
fn the_example_is_the_file() {
    check(PAGE, "flight", &format!("```toml\n{}\n```\n", flight().0.trim_end()));
}

#[test]
fn the_answer_is_the_analysis() {
    check(PAGE, "analysis", &format!("```text\n{}\n```\n", flight().1));
}

#[test]
fn the_picture_is_that_of_the_simulation() {
    let (_, schedule) = flight();
    let (tasks, until) = (schedule.critical_instant(), Time::from_millis(40));
    let trace = Simulation { tasks: &tasks, preemptive: false, until, max_instances: 1000 }.run();
    let drawn = timeline(&schedule, &trace, until);
    if std::env::var_os("UPDATE_BOOK").is_some() {
        write(PICTURE, &drawn);
    } else {
        assert!(read(PICTURE) == drawn, "{PICTURE} is out of date: run with UPDATE_BOOK=1");
    }
}
