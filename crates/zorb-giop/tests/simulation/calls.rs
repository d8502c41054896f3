//! The outcome of each call as observed by its caller, and the invariants of every run.

use zorb_cdr::TextCoding;
use zorb_giop::{ConnectionEnd, FailureCause, RequestFailure, RequestProgress};
use zorb_types::CompletionStatus;

/// Every call of one run, by number.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    calls: Vec<Call>,
}

#[derive(Debug)]
struct Call {
    /// How its text was written.
    text: Option<TextCoding>,
    outcome: Option<Outcome>,
    /// How often the server has begun to serve it.
    served: u32,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Reply,
    /// A one-way request that was sent.
    Sent,
    /// The client gave up waiting.
    Cancelled,
    /// The one-way request was never sent.
    NeverSent,
    /// The connection took no request.
    Refused,
    Failed(RequestFailure),
}

impl Calls {
    pub(crate) fn begin(&mut self) -> usize {
        self.calls.push(Call { text: None, outcome: None, served: 0 });
        self.calls.len() - 1
    }

    pub(crate) fn written_in(&mut self, call: usize, text: TextCoding) {
        self.calls[call].text = Some(text);
    }

    pub(crate) fn end(&mut self, call: usize, outcome: Outcome) {
        let before = self.calls[call].outcome.replace(outcome);
        assert_eq!(before, None, "call {call} ends a second time, now with {outcome:?}");
        if let Outcome::Failed(RequestFailure { cause, progress }) = outcome {
            let failure = RequestFailure { cause, progress };
            let closed = cause == FailureCause::Ended(ConnectionEnd::CloseConnection);
            if closed && progress != RequestProgress::PartlyAnswered {
                assert_eq!(failure.completed(), CompletionStatus::No, "call {call}: {failure:?}");
                assert!(failure.is_safe_to_resend(), "call {call}: {failure:?}");
            }
        }
    }

    /// The server begins to serve a call; its text is read so. Damage may make up calls.
    pub(crate) fn served(&mut self, call: usize, text: Option<TextCoding>, damaged: bool) {
        match self.calls.get_mut(call) {
            Some(call) if !damaged => {
                call.served += 1;
                assert_eq!(call.served, 1, "a call is served twice: {call:?}");
                assert!(text.is_none() || text == call.text, "{text:?} is not as in {call:?}");
            }
            _ => assert!(damaged, "call {call} was never made"),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.calls.len()
    }

    /// Checks the invariants at the end of a run.
    pub(crate) fn check(&self, damaged: bool) {
        for (number, call) in self.calls.iter().enumerate() {
            let outcome = call.outcome.unwrap_or_else(|| panic!("call {number} never ends"));
            let not_processed = match outcome {
                Outcome::Failed(failure) => failure.completed() == CompletionStatus::No,
                Outcome::Refused | Outcome::NeverSent => true,
                Outcome::Reply | Outcome::Sent | Outcome::Cancelled => false,
            };
            if damaged {
                continue;
            }
            assert!(!not_processed || call.served == 0, "call {number} was served: {call:?}");
            assert!(outcome != Outcome::Reply || call.served == 1, "call {number}: {call:?}");
        }
    }

    pub(crate) fn count(&self, wanted: impl Fn(Outcome) -> bool) -> usize {
        self.calls.iter().filter_map(|call| call.outcome).filter(|it| wanted(*it)).count()
    }
}
