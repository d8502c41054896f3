//! What was expected, and how sure it is that it was found.

use serde::Serialize;

use crate::report::Check;

/// How an expectation fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It was met.
    Holds,
    /// The limit lies in the interval of what was found: another run may come to something else.
    Unclear,
    /// It was not met.
    Fails,
}

/// Something that was expected, what was found, and the verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// What was expected and found. It holds where that is the likeliest.
    #[serde(flatten)]
    pub check: Check,
    /// The verdict; one that is unclear may hold or not.
    pub verdict: Verdict,
}

impl Judged {
    /// One without an interval.
    pub(super) fn sure(what: &str, expected: &str, found: impl ToString, holds: bool) -> Self {
        let (what, expected) = (what.to_owned(), expected.to_owned());
        let check = Check { what, expected, found: found.to_string(), holds };
        Self { check, verdict: if holds { Verdict::Holds } else { Verdict::Fails } }
    }

    /// The same; `open` where the limit lies in the interval of what was found.
    pub(super) fn unclear_if(self, open: bool) -> Self {
        if open { Self { verdict: Verdict::Unclear, ..self } } else { self }
    }

    /// For people.
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
