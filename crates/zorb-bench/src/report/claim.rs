//! Claims of experiments, and verdicts on them.

use serde::Serialize;

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
