//! Requests to look up, and the timing of lookups.

use zorb_os::clock::MonotonicTime;

use super::search::Layer;
use crate::driver::{Done, Find};
use crate::error::{Error, Result};
use crate::processor::process_cpu_ns;
use crate::recorder::Recorder;

/// Number of requests that are looked up in turn. They are spread evenly over all objects and
/// operations, so that a linear search visits half of them on average, and few enough to stay in the
/// caches: the experiment compares algorithms, not memory.
pub(super) const REQUESTS: usize = 16;

/// A request, and the expected results of its lookup.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// The object key.
    pub(super) key: Box<[u8]>,
    /// The operation's name.
    pub(super) operation: &'static str,
    /// The index in a common table that client and server have agreed on.
    pub(super) agreed: u32,
    /// The expected result for the object.
    pub(super) object: usize,
    /// The expected result for the operation.
    pub(super) position: usize,
}

/// Times `look_up`, which returns the results for the object and the operation.
pub(super) fn measure(
    find: &Find,
    requests: &[Request],
    mut look_up: impl FnMut(&Request) -> Option<(usize, usize)>,
) -> Result<Done> {
    let mut endless = requests.iter().cycle();
    // The tables are new: the first lookups fill the caches.
    for request in endless.clone().take(find.batch as usize) {
        std::hint::black_box(look_up(std::hint::black_box(request)));
    }
    let cpu_before = process_cpu_ns();
    let mut recorder = Recorder::start();
    for _ in 0..find.calls / find.batch {
        let batch = endless.clone().take(find.batch as usize);
        let start = MonotonicTime::now();
        let mut found = (0_usize, 0_usize);
        for request in batch.clone() {
            let Some((object, position)) = look_up(std::hint::black_box(request)) else {
                return Err(Error::new(format!("{} was not found", request.operation)));
            };
            found = (found.0.wrapping_add(object), found.1.wrapping_add(position));
        }
        let all_ns = MonotonicTime::now().nanos_since(start);
        let sum = |of: fn(&Request) -> usize| batch.clone().map(of).fold(0, usize::wrapping_add);
        let right = match find.layer {
            Layer::Object => found.0 == sum(|request| request.object),
            Layer::Operation => found.1 == sum(|request| request.position),
            Layer::Request => {
                found == (sum(|request| request.object), sum(|request| request.position))
            }
        };
        if !right {
            return Err(Error::new("the lookup returned a wrong result"));
        }
        endless.nth(find.batch as usize - 1);
        recorder.record(all_ns, find.batch);
    }
    let cpu_ns = process_cpu_ns().saturating_sub(cpu_before);
    Ok(Recorder::done(&[recorder.end()], find.calls.into(), cpu_ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_results_are_detected() {
        let request =
            Request { key: [1].into(), operation: "x", agreed: 0, object: 7, position: 2 };
        let requests = vec![request; 3];
        let of = |layer, found| {
            let find = Find { layer, objects: 1, operations: 1, calls: 4, batch: 2 };
            measure(&find, &requests, |_| found).is_ok()
        };
        assert!(of(Layer::Request, Some((7, 2))));
        assert!(of(Layer::Object, Some((7, 0))) && of(Layer::Operation, Some((0, 2))));
        assert!(!of(Layer::Request, Some((7, 1))) && !of(Layer::Object, Some((6, 2))));
        assert!(!of(Layer::Operation, None));
    }
}
