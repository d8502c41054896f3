//! Requests that are looked up, and the timing of lookups.

use zorb_os::clock::MonotonicTime;

use super::search::Layer;
use crate::driver::{Done, Find};
use crate::error::{Error, Result};
use crate::histogram::Histogram;
use crate::processor::process_cpu_ns;

/// Requests that are looked up in turn. They are spread evenly over all objects and operations, so
/// that a search from the front comes half way on average, and few enough for the caches to hold
/// what belongs to them: what is compared is searching, not memory.
pub(super) const REQUESTS: usize = 16;

/// What a request brings, and what has to be found.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// The object key.
    pub(super) key: Box<[u8]>,
    /// The operation's name.
    pub(super) operation: &'static str,
    /// What client and server would have agreed on before: the place in one table.
    pub(super) agreed: u32,
    /// What the search for the object gives.
    pub(super) object: usize,
    /// What the search for the operation gives.
    pub(super) position: usize,
}

/// Looks requests up with `look_up`, which gives what is found for the object and the operation.
pub(super) fn measure(
    find: &Find,
    requests: &[Request],
    mut look_up: impl FnMut(&Request) -> Option<(usize, usize)>,
) -> Result<Done> {
    let (mut sum_ns, mut min_ns, mut max_ns) = (0, u64::MAX, 0);
    let mut histogram = Histogram::new();
    let mut endless = requests.iter().cycle();
    let cpu_before = process_cpu_ns();
    let begin = MonotonicTime::now();
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
            return Err(Error::new("something else was found than what was looked for"));
        }
        endless.nth(find.batch as usize - 1);
        let one_ns = all_ns / u64::from(find.batch);
        (sum_ns, min_ns, max_ns) = (sum_ns + all_ns, one_ns.min(min_ns), one_ns.max(max_ns));
        histogram.record(one_ns);
    }
    Ok(Done {
        calls: u64::from(find.calls),
        wall_ns: MonotonicTime::now().nanos_since(begin).max(1),
        cpu_ns: process_cpu_ns().saturating_sub(cpu_before),
        server_cpu_ns: 0,
        sum_ns,
        min_ns,
        max_ns,
        histogram,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finding_something_else_is_noticed() {
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
