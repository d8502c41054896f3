#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::time::Duration;

use super::gated::Gated;
use super::{LogCounts, LogQueue};

/// Longer than any test takes; only a failing test waits this long.
const LONG: Duration = Duration::from_secs(60);

fn put(log: &LogQueue, text: &str) {
    log.line().write_all(text.as_bytes()).unwrap();
}

#[test]
fn lines_are_written_in_order() {
    let (sink, open, gets) = Gated::new();
    drop(open);
    let log = LogQueue::builder().write_to(sink).unwrap();
    for text in ["one\n", "two", "three\n"] {
        put(&log, text);
    }
    assert!(log.flush(LONG));
    assert_eq!(gets.try_iter().collect::<Vec<_>>(), ["one\n", "two\n", "three\n"]);
    assert_eq!(log.counts(), LogCounts { written: 3, ..LogCounts::default() });
}

#[test]
fn logging_does_not_wait_for_a_blocked_sink() {
    let (sink, open, gets) = Gated::new();
    let log = LogQueue::builder().lines(4).write_to(sink).unwrap();
    for number in 0..10 {
        put(&log, &format!("{number}"));
    }
    assert_eq!(log.counts(), LogCounts { dropped: 6, ..LogCounts::default() });
    assert!(!log.flush(Duration::ZERO));

    drop(open);
    assert!(log.flush(LONG));
    let dropped = "log: 6 lines dropped because the queue was full\n";
    let lines: Vec<String> = gets.iter().take(5).collect();
    assert_eq!(lines, ["0\n", "1\n", "2\n", "3\n", dropped]);
    put(&log, "4");
    assert_eq!(
        gets.recv().unwrap(),
        "4\n",
        "there is room again, and all dropped lines are reported"
    );
}

#[test]
fn long_lines_are_cut_between_characters() {
    let (sink, open, gets) = Gated::new();
    drop(open);
    let log = LogQueue::builder().octets(16).write_to(sink).unwrap();
    put(&log, "fifteen letters\n");
    put(&log, "fifteen letters and more\n");
    put(&log, "fourteen octetsß");
    put(&log, "fourteen octet\u{20ac}");
    let mut line = log.line();
    for part in ["in ", "several ", "\u{e4}\u{e4}\u{e4}", "parts"] {
        line.write_all(part.as_bytes()).unwrap();
    }
    drop(line);
    let expected =
        ["fifteen letters\n", "fifteen letters\n", "fourteen octets\n", "fourteen octet\n"];
    assert_eq!(gets.iter().take(4).collect::<Vec<_>>(), expected);
    assert_eq!(gets.recv().unwrap(), "in several \u{e4}\u{e4}\n");
    assert!(log.flush(LONG));
    assert_eq!(log.counts(), LogCounts { written: 5, cut: 4, ..LogCounts::default() });
}

#[test]
fn dropping_the_last_handle_writes_all_lines() {
    let (sink, open, gets) = Gated::new();
    let log = LogQueue::builder().write_to(sink).unwrap();
    let other = log.clone();
    put(&log, "from one");
    drop(log);
    put(&other, "from another");
    drop(other);
    drop(open);
    assert_eq!(gets.iter().collect::<Vec<_>>(), ["from one\n", "from another\n"]);
}

#[test]
fn an_empty_line_is_not_written() {
    let (sink, _open, _gets) = Gated::new();
    let log = LogQueue::builder().lines(1).write_to(sink).unwrap();
    for _ in 0..3 {
        drop(log.line());
    }
    let held = log.line();
    drop(log.line());
    assert_eq!(log.counts(), LogCounts::default());
    drop(held);
    assert!(log.flush(Duration::ZERO));
}

#[test]
fn a_sink_that_fails_is_counted_and_tried_again() {
    let (sink, open, gets) = Gated::new();
    drop((open, gets));
    let log = LogQueue::builder().lines(2).write_to(sink).unwrap();
    for _ in 0..5 {
        put(&log, "lost");
        assert!(log.flush(LONG));
    }
    assert_eq!(log.counts(), LogCounts { failed: 5, ..LogCounts::default() });
}
