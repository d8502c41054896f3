use std::sync::atomic::AtomicU32;

use super::*;
use crate::operation::Operation;
use crate::peer::client::{Flooding, answer};

/// Returns the argument, or something else from call `wrong_from` on.
struct Here {
    wrong_from: u32,
    calls: &'static AtomicU32,
}

impl Client for Here {
    fn two_way(
        &self,
        _: Operation,
        _: usize,
        line: ConnectionUse,
    ) -> Result<Box<dyn TwoWay>, Refusal> {
        if line == ConnectionUse::Shared {
            return Err(Refusal::Unsupported("no shared connections".to_owned()));
        }
        let (wrong_from, calls) = (self.wrong_from, self.calls);
        Ok(in_parts(
            0_u32,
            |argument: &mut u32, number| *argument = number,
            move |argument: &mut u32| {
                calls.fetch_add(1, Ordering::Relaxed);
                Ok(*argument + u32::from(*argument >= wrong_from))
            },
            |argument: &u32, reply: &u32| argument == reply,
        ))
    }

    fn flood(&self, _: Operation, _: usize) -> Result<Box<dyn Flooding>, Refusal> {
        Err(Refusal::Unsupported("no floods".to_owned()))
    }
}

/// The answer to a command, and the number of calls.
fn answer_to(line: &str, wrong_from: u32) -> (String, u32) {
    let calls = Box::leak(Box::new(AtomicU32::new(0)));
    let text = answer(&Here { wrong_from, calls }, line).to_string();
    (text, calls.load(Ordering::Relaxed))
}

#[test]
fn calls_are_counted_and_timed() {
    let (text, made) = answer_to("run ping 0 100 warm=7", u32::MAX);
    assert!(text.starts_with("done check=ok calls=100 "), "{text}");
    assert_eq!(made, 107);
    let crate::driver::Answer::Done(done) = crate::driver::Answer::parse(&text, true).unwrap()
    else {
        panic!("{text}")
    };
    assert_eq!(done.histogram.total(), 100);
    assert!(done.min_ns <= done.max_ns && done.sum_ns <= done.wall_ns, "{done:?}");
}

#[test]
fn a_batch_is_one_time() {
    let (text, made) = answer_to("run ping 0 100 batch=25", u32::MAX);
    let Ok(crate::driver::Answer::Done(done)) = crate::driver::Answer::parse(&text, true) else {
        panic!("{text}")
    };
    assert_eq!((made, done.calls, done.histogram.total()), (100, 100, 4));
}

#[test]
fn one_call_of_a_fresh_reference_is_timed() {
    let (text, made) = answer_to("run ping 0 10 warm=2 fresh=5 bound=1", u32::MAX);
    let Ok(crate::driver::Answer::Done(done)) = crate::driver::Answer::parse(&text, true) else {
        panic!("{text}")
    };
    assert_eq!((made, done.calls, done.histogram.total()), (60, 10, 10));
}

#[test]
fn threads_call_together() {
    let (text, made) = answer_to("run ping 0 50 warm=2 threads=4", u32::MAX);
    assert!(text.starts_with("done check=ok calls=200 "), "{text}");
    assert_eq!(made, 208);
}

#[test]
fn a_wrong_reply_is_no_measurement() {
    for line in ["run ping 0 100", "run ping 0 10 warm=50", "run ping 0 100 threads=3"] {
        let (text, _) = answer_to(line, 40);
        assert_eq!(text, "failed the reply is wrong", "{line}");
    }
}

#[test]
fn unsupported_commands_are_reported() {
    assert_eq!(answer_to("run ping 0 1 shared=1", 9).0, "unsupported no shared connections");
    assert_eq!(answer_to("flood send_octets 4 1", 9).0, "unsupported no floods");
    assert!(answer_to("hello", 9).0.starts_with("failed "));
}
