//! Records the times of a block of calls.

use zorb_os::clock::MonotonicTime;

use crate::driver::Done;
use crate::histogram::Histogram;

/// The times that one thread has measured, in nanoseconds.
pub(crate) struct Recorder {
    begin: MonotonicTime,
    end: MonotonicTime,
    sum_ns: u64,
    min_ns: u64,
    max_ns: u64,
    histogram: Histogram,
}

impl Recorder {
    /// Begins now.
    pub(crate) fn start() -> Self {
        let begin = MonotonicTime::now();
        let (sum_ns, min_ns, max_ns) = (0, u64::MAX, 0);
        Self { begin, end: begin, sum_ns, min_ns, max_ns, histogram: Histogram::new() }
    }

    /// Records the time of a batch of calls.
    pub(crate) fn record(&mut self, all_ns: u64, batch: u32) {
        let one_ns = all_ns / u64::from(batch);
        self.sum_ns += all_ns;
        self.min_ns = self.min_ns.min(one_ns);
        self.max_ns = self.max_ns.max(one_ns);
        self.histogram.record(one_ns);
    }

    /// Ends now.
    pub(crate) fn end(mut self) -> Self {
        self.end = MonotonicTime::now();
        self
    }

    /// The result of all threads, which made `calls` calls and used `cpu_ns` of the processor.
    pub(crate) fn done(threads: &[Self], calls: u64, cpu_ns: u64) -> Done {
        let begin = threads.iter().map(|thread| thread.begin).min();
        let end = threads.iter().map(|thread| thread.end).max();
        let wall_ns = begin.zip(end).map_or(0, |(begin, end)| end.nanos_since(begin));
        let mut histogram = Histogram::new();
        for thread in threads {
            histogram.merge(&thread.histogram);
        }
        Done {
            calls,
            wall_ns: wall_ns.max(1),
            cpu_ns,
            server_cpu_ns: 0,
            sum_ns: threads.iter().map(|thread| thread.sum_ns).sum(),
            min_ns: threads.iter().map(|thread| thread.min_ns).min().unwrap_or_default(),
            max_ns: threads.iter().map(|thread| thread.max_ns).max().unwrap_or_default(),
            histogram,
        }
    }
}
