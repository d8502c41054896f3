//! Verdicts on claims.

use serde::Serialize;

use crate::report::Check;

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It holds.
    Holds,
    /// The confidence interval contains the limit: another run could decide otherwise.
    Unclear,
    /// It does not hold.
    Fails,
}

/// A claim with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// The claim; if the verdict is unclear, `holds` is the more likely one.
    #[serde(flatten)]
    pub check: Check,
    /// The verdict.
    pub verdict: Verdict,
}

impl Judged {
    /// A claim without a confidence interval.
    pub(super) fn sure(what: &str, expected: &str, found: impl ToString, holds: bool) -> Self {
        let (what, expected) = (what.to_owned(), expected.to_owned());
        let check = Check { what, expected, found: found.to_string(), holds };
        Self { check, verdict: if holds { Verdict::Holds } else { Verdict::Fails } }
    }

    /// The claim as unclear, if `open`.
    pub(super) fn unclear_if(self, open: bool) -> Self {
        if open { Self { verdict: Verdict::Unclear, ..self } } else { self }
    }

    /// The mark in the table.
    pub(super) fn mark(&self) -> &'static str {
        match (self.verdict, self.check.holds) {
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
    fn what_is_unclear_still_holds_or_not() {
        let mark = |holds, open| Judged::sure("a", "b", 1, holds).unclear_if(open).mark();
        assert_eq!([mark(true, false), mark(true, true)], ["yes ", "yes?"]);
        assert_eq!([mark(false, false), mark(false, true)], ["NO  ", "NO? "]);
        let json =
            serde_json::to_string(&Judged::sure("a", "b", 1, true).unclear_if(true)).unwrap();
        assert!(json.contains(r#""holds":true,"verdict":"unclear""#), "{json}");
    }
}
