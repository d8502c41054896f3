//! The progress of a running experiment.

use indicatif::ProgressBar;
use zorb_bench::harness::Watch;

use crate::interrupt::Interrupt;
use crate::screen;

/// A progress bar on a terminal, notes on standard error, and Ctrl-C.
#[derive(Debug)]
pub(super) struct Progress<'a> {
    interrupt: &'a Interrupt,
    bar: ProgressBar,
}

impl<'a> Progress<'a> {
    pub(super) fn new(interrupt: &'a Interrupt) -> Self {
        Self { interrupt, bar: ProgressBar::hidden() }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Progress<'_> {
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
        self.bar.suspend(|| screen::print_stderr(line));
    }

    fn wants_to_stop(&mut self) -> bool {
        self.interrupt.arrived().is_some()
    }
}
