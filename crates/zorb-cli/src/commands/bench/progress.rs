//! What is to be seen of a running experiment.

use indicatif::ProgressBar;
use zorb_bench::harness::Watch;

use crate::interrupt::Interrupt;
use crate::screen;

/// A bar on a terminal, notes on standard error, and Ctrl-C.
#[derive(Debug)]
pub(super) struct Watching<'a> {
    interrupt: &'a Interrupt,
    bar: ProgressBar,
}

impl<'a> Watching<'a> {
    pub(super) fn new(interrupt: &'a Interrupt) -> Self {
        Self { interrupt, bar: ProgressBar::hidden() }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Watching<'_> {
    fn begin(&mut self, blocks: usize) {
        self.bar = screen::progress_bar(blocks);
    }

    fn block(&mut self, what: &str) {
        if self.bar.message() != what {
            self.bar.set_message(what.to_owned());
        }
        self.bar.inc(1);
    }

    fn note(&mut self, line: &str) {
        self.bar.suspend(|| screen::tell(line));
    }

    fn wants_to_stop(&mut self) -> bool {
        self.interrupt.arrived().is_some()
    }
}
