//! Calls of the hostile server whose callers do not wait.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver};

use zorb_cdr::Wire;
use zorb_core::{ObjectRef, Pending};
use zorb_types::SystemException;

use super::answers::RESULT;
use super::{VERSIONS, World};
use crate::mutation::Generator;

/// The most calls that are pending at the same time.
const MAX_CALLS: usize = 8;

/// What became of calls that were pending together.
#[derive(Debug, Default)]
pub struct Together {
    /// Calls that were sent.
    pub sent: usize,
    /// Those with the result of a good reply.
    pub good: usize,
    /// Those with an exception.
    pub failed: usize,
    /// Those that were cancelled.
    pub cancelled: usize,
    /// Connections that the client opened.
    pub connections: usize,
    /// Requests that it sent.
    pub requests: usize,
}

/// How the result of a call is taken.
enum Ends {
    Waited(Pending<i32>),
    Functions(Receiver<Result<i32, SystemException>>),
    Cancelled,
}

impl World {
    /// Sends some calls of `add`, with the answers of a seed, and then takes their results, which their threads wait for
    /// or functions get, or cancels them. The reference is new, the ORB is the one of earlier calls.
    ///
    /// # Panics
    /// When the reference cannot be resolved, or the function of a call is not called exactly once.
    #[must_use]
    pub fn call_without_waiting(&self, seed: u64) -> Together {
        let mut random = Generator::new(seed);
        let text = &self.references[random.below(VERSIONS.len())];
        let echo: ObjectRef = self.orb.resolve(text).expect("a reference");
        let sent = 1 + random.below(MAX_CALLS);
        let ends: Vec<usize> = (0..sent).map(|_| random.below(8)).collect();
        *self.server.random() = random;
        let (connections, requests) = (&self.server.connections, &self.server.requests);
        let before = (connections.load(Ordering::SeqCst), requests.load(Ordering::SeqCst));
        let calls: Vec<_> = ends.into_iter().map(|how| how_it_ends(add(&echo), how)).collect();
        let mut together = Together { sent, ..Together::default() };
        for call in calls {
            let outcome = match call {
                Ends::Waited(call) => call.wait(),
                Ends::Functions(results) => {
                    let outcome = results.recv().expect("its function is called");
                    assert!(results.recv().is_err(), "its function is called once");
                    outcome
                }
                Ends::Cancelled => {
                    together.cancelled += 1;
                    continue;
                }
            };
            match outcome {
                Ok(sum) if i64::from(sum) == i64::from(RESULT) => together.good += 1,
                _ => together.failed += 1,
            }
        }
        together.connections = connections.load(Ordering::SeqCst) - before.0;
        together.requests = requests.load(Ordering::SeqCst) - before.1;
        together
    }
}

fn add(echo: &ObjectRef) -> Pending<i32> {
    let arguments = |writer: &mut zorb_cdr::CdrWriter<'_>| {
        i32::write(&2, writer)?;
        i32::write(&3, writer)
    };
    echo.send("add", arguments, i32::read)
}

fn how_it_ends(call: Pending<i32>, how: usize) -> Ends {
    match how {
        0 => {
            drop(call);
            Ends::Cancelled
        }
        1 | 2 => {
            let (tell, told) = mpsc::channel();
            call.on_reply(move |outcome| tell.send(outcome).expect("the caller waits"));
            Ends::Functions(told)
        }
        3 => {
            let (tell, told) = mpsc::channel();
            call.on_reply_in_thread(move |outcome| tell.send(outcome).expect("the caller waits"))
                .expect("it is not refused");
            Ends::Functions(told)
        }
        _ => Ends::Waited(call),
    }
}
