//! Claims of experiments, and verdicts on them.

use serde::Serialize;

use crate::statistics::Interval;

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It holds.
    Holds,
    /// This run cannot tell: the confidence interval contains the limit, or the run was too short.
    Unclear,
    /// It does not hold.
    Fails,
}

/// A claim with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// The subject.
    pub what: String,
    /// The expectation.
    pub expected: String,
    /// The result.
    pub found: String,
    /// Whether the result meets the expectation; if the verdict is unclear, another run could
    /// decide otherwise.
    pub holds: bool,
    /// The verdict.
    pub verdict: Verdict,
}

impl Claim {
    /// A claim that holds or fails.
    pub(crate) fn new(
        what: impl Into<String>,
        expected: impl Into<String>,
        found: impl ToString,
        holds: bool,
    ) -> Self {
        let (what, expected, found) = (what.into(), expected.into(), found.to_string());
        let verdict = if holds { Verdict::Holds } else { Verdict::Fails };
        Self { what, expected, found, holds, verdict }
    }

    /// A claim that a ratio is at least this; unclear if the limit is within the ratio's confidence interval.
    pub(crate) fn at_least(what: impl Into<String>, least: f64, found: Interval) -> Self {
        let claim =
            Self::new(what, format!("at least {least:?}"), shown(found), found.median >= least);
        claim.unclear_if(found.contains(least))
    }

    /// A claim that a number is at most this; unclear if the limit is within the number's confidence interval.
    pub(crate) fn at_most(what: impl Into<String>, most: f64, found: Interval) -> Self {
        let claim =
            Self::new(what, format!("at most {most:?}"), shown(found), found.median <= most);
        claim.unclear_if(found.contains(most))
    }

    /// The claim with the verdict *unclear*, if this run cannot tell.
    pub(crate) fn unclear_if(self, unclear: bool) -> Self {
        if unclear { Self { verdict: Verdict::Unclear, ..self } } else { self }
    }

    /// Whether it fails. A claim with an unclear verdict does not.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.verdict == Verdict::Fails
    }

    /// A line of a table; `kind` precedes the subject.
    pub(crate) fn line(&self, kind: &str) -> String {
        let Self { what, expected, found, .. } = self;
        format!("{} {kind}{what}: {found} (expected: {expected})\n", self.mark())
    }

    fn mark(&self) -> &'static str {
        match (self.verdict, self.holds) {
            (Verdict::Unclear, true) => "yes?",
            (Verdict::Unclear, false) => "NO? ",
            (_, true) => "yes ",
            (_, false) => "NO  ",
        }
    }
}

/// A median with its confidence interval, which a single number does not have.
fn shown(Interval { low, median, high }: Interval) -> String {
    if low == high {
        return format!("{median:.2}");
    }
    format!("{median:.2} ({low:.2} to {high:.2})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unclear_claim_holds_or_not_but_does_not_fail() {
        let claim = |holds, unclear| Claim::new("a", "b", 1, holds).unclear_if(unclear);
        assert_eq!([claim(true, false).mark(), claim(true, true).mark()], ["yes ", "yes?"]);
        assert_eq!([claim(false, false).mark(), claim(false, true).mark()], ["NO  ", "NO? "]);
        assert!(claim(false, false).fails() && !claim(false, true).fails());
        let json = serde_json::to_string(&claim(true, true)).unwrap();
        assert!(json.contains(r#""holds":true,"verdict":"unclear""#), "{json}");
        assert_eq!(claim(true, false).line("control: "), "yes  control: a: 1 (expected: b)\n");
    }
}
