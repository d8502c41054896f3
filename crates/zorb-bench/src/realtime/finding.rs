//! The result of one experiment.

use serde_json::{Map, Value};

use super::interleaved::Compared;
use super::interval::Ratio;
pub(super) use super::times::rounded;
use super::times::{Times, ratio};
use crate::report::{Claim, Detail, Row, Verdict};

/// The result of one experiment over one transport.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// Claims about properties that must hold.
    pub(super) checks: Vec<Claim>,
    /// Claims about the control.
    pub(super) controls: Vec<Claim>,
    pub(super) measured: Map<String, Value>,
    pub(super) rows: Vec<(Row, Detail)>,
    /// Why the experiment was skipped.
    pub(super) not_run: Option<String>,
}

impl Finding {
    /// The result of a skipped experiment.
    pub(super) fn not_run(reason: &str) -> Self {
        Self { not_run: Some(reason.to_owned()), ..Self::default() }
    }

    /// Whether all properties hold.
    pub fn holds(&self) -> bool {
        self.not_run.is_none() && all_hold(&self.checks)
    }

    /// Whether the failure of the control was detected.
    pub fn control_detected(&self) -> bool {
        self.not_run.is_none() && all_hold(&self.controls)
    }

    /// The number of unclear claims.
    pub(super) fn unclear(&self) -> usize {
        let all = self.checks.iter().chain(&self.controls);
        all.filter(|claim| claim.verdict == Verdict::Unclear).count()
    }

    /// Adds a property.
    pub(super) fn check(&mut self, what: &str, expected: &str, found: impl ToString, holds: bool) {
        self.checks.push(Claim::new(what, expected, found, holds));
    }

    /// Adds a claim about the control.
    pub(super) fn control(&mut self, what: &str, expected: &str, found: impl ToString, seen: bool) {
        self.controls.push(Claim::new(what, expected, found, seen));
    }

    /// Adds a number.
    pub(super) fn measure(&mut self, name: &str, value: impl Into<Value>) {
        self.measured.insert(name.to_owned(), value.into());
    }

    /// Adds the numbers and rows of calls without load and under load, and numbers of bare exchanges.
    pub(super) fn compared(&mut self, config: &str, operation: &str, found: &Compared) {
        self.times(&format!("{config} without load"), operation, &found.free);
        self.times(config, operation, &found.loaded);
        let name = named(config);
        for (kind, Ratio { found, low, high }) in
            [("p99_ratio", found.ratio), ("bare_p99_ratio", found.bare_ratio)]
        {
            self.measure(&format!("{name}_{kind}"), rounded(found));
            self.measure(&format!("{name}_{kind}_low"), rounded(low));
            self.measure(&format!("{name}_{kind}_high"), rounded(high));
        }
        for (load, bare, calls) in
            [("free", &found.bare_free, &found.free), ("loaded", &found.bare_loaded, &found.loaded)]
        {
            self.measure(&format!("{name}_bare_{load}_p50_us"), rounded(bare.p50()));
            self.measure(&format!("{name}_bare_{load}_p99_us"), rounded(bare.p99()));
            let of_bare = ratio(calls.p99(), bare.p99());
            self.measure(&format!("{name}_{load}_p99_of_bare"), rounded(of_bare));
        }
    }

    /// Like [`compared`](Self::compared), with rows for bare exchanges and with timelines.
    pub(super) fn timelines(&mut self, config: &str, operation: &str, found: &Compared) {
        self.compared(config, operation, found);
        self.times(&format!("{config} without load, no ORB"), operation, &found.bare_free);
        self.times(&format!("{config}, no ORB"), operation, &found.bare_loaded);
        let first = self.rows.len().saturating_sub(found.timelines.len());
        for ((_, detail), timeline) in self.rows.iter_mut().skip(first).zip(&found.timelines) {
            detail.timeline = timeline.to_string();
        }
    }

    /// Adds the claim that compares p99 under load with its limit.
    pub(super) fn judged(&mut self, what: &str, found: &Compared) {
        self.claim(found.is_control(), found.judged(what));
    }

    /// Adds numbers, rows, and the claim of a comparison.
    pub(super) fn comparison(
        &mut self,
        config: &str,
        operation: &str,
        what: &str,
        found: &Compared,
    ) {
        self.compared(config, operation, found);
        self.judged(what, found);
    }

    /// Adds the claim that a request is served, or of a control, that it waits.
    pub(super) fn served(&mut self, what: &str, must_be_served: bool, is_served: bool) {
        let word = |served| if served { "is served" } else { "waits" };
        let holds = is_served == must_be_served;
        let claim = Claim::new(what, word(must_be_served), word(is_served), holds);
        self.claim(!must_be_served, claim);
    }

    /// Adds a claim.
    pub(super) fn claim(&mut self, of_control: bool, claim: Claim) {
        if of_control { &mut self.controls } else { &mut self.checks }.push(claim);
    }

    /// Adds numbers and a row for the times of a configuration.
    pub(super) fn times(&mut self, config: &str, operation: &str, times: &Times) {
        let name = |part: &str| named(&format!("{config} {operation} {part}"));
        self.measure(&name("p50_us"), rounded(times.p50()));
        self.measure(&name("p99_us"), rounded(times.p99()));
        self.measure(&name("max_us"), rounded(times.micros(1.0)));
        self.measure(&name("sd_us"), rounded(times.deviation()));
        self.measure(&name("calls"), times.count());
        self.measure(&name("dropped"), times.dropped);
        let row = Row {
            experiment: "rt",
            peer: config.to_owned(),
            transport: String::new(),
            operation: operation.to_owned(),
            payload: 0,
            rounds: 1,
            calls: times.count() as u64,
            mean_us: times.mean(),
            p50_us: Some(times.p50()),
            p99_us: Some(times.p99()),
            p999_us: Some(times.micros(0.999)),
            max_us: Some(times.micros(1.0)),
            calls_per_s: 0.0,
            mb_per_s: 0.0,
            ratio_to_raw: None,
        };
        let detail = Detail { histogram: times.histogram().to_string(), ..Detail::default() };
        self.rows.push((row, detail));
    }
}

/// The name of a number, from words.
pub(super) fn named(words: &str) -> String {
    words.replace(',', "").replace([' ', '-', '/'], "_").to_lowercase()
}

/// Whether there are claims, and all hold.
fn all_hold(claims: &[Claim]) -> bool {
    !claims.is_empty() && claims.iter().all(|claim| claim.holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_without_claims_does_not_hold() {
        let mut finding = Finding::default();
        assert_eq!((finding.holds(), finding.control_detected()), (false, false));
        finding.check("a", "b", "c", true);
        assert_eq!((finding.holds(), finding.control_detected()), (true, false));
        finding.control("a", "b", 1, true);
        assert!(finding.control_detected());
        finding.check("a", "b", "c", false);
        finding.control("a", "b", 1, false);
        assert_eq!((finding.holds(), finding.control_detected()), (false, false));
    }

    #[test]
    fn a_skipped_experiment_does_not_hold() {
        let mut finding = Finding::not_run("no right to");
        finding.check("a", "b", "c", true);
        finding.control("a", "b", "c", true);
        assert_eq!((finding.holds(), finding.control_detected()), (false, false));
    }
}
