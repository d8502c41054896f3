//! What the requests of a connection say about the compression of replies.

use zorb_giop::{MessageHeader, RequestHeader, ServiceId};
use zorb_os::lock::Lock;

use crate::choice::Choice;
use crate::context;
use crate::policy::CompressorIdLevelList;

/// The octets at the beginning of a request in which its service contexts are looked for.
pub(crate) const LOOKED_AT: usize = 4_096;

/// The requests that have been received. The last that says how its reply may be compressed counts, also for those after
/// it: omniORB's clients say that once for each connection, Zorb's with each request.
#[derive(Debug)]
pub(crate) struct Requests {
    /// The compressors of this side.
    own: CompressorIdLevelList,
    choice: Lock<Option<Choice>>,
}

impl Requests {
    pub(crate) fn new(own: CompressorIdLevelList) -> Self {
        Self { own, choice: Lock::default() }
    }

    /// Notes a request; `message` is its beginning.
    pub(crate) fn note(&self, message: &[u8], header: &MessageHeader) {
        let Ok((request, _)) = RequestHeader::read(message, header) else { return };
        let data = request.service_contexts.find(ServiceId::INVOCATION_POLICIES);
        let Some(Ok(Some(theirs))) = data.map(context::decode) else { return };
        *self.choice.lock() = Choice::of(&theirs, &self.own, &self.own);
    }

    /// How replies are compressed, if they may be.
    pub(crate) fn of_replies(&self) -> Option<Choice> {
        *self.choice.lock()
    }
}
