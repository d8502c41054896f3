//! The octets that a stream receives, decompressed.

use std::io;
use std::sync::Arc;

use zorb_giop::{GiopVersion, HEADER_SIZE, MessageBudget, MessageHeader, MessageKind};
use zorb_transport::process_budget;

use crate::accepted::Accepted;
use crate::inflate::Inflater;
use crate::inflated::invalid;
use crate::message::{CompressedHeader, is_compressed};
use crate::policy::CompressorIdLevelList;
use crate::requests::{LOOKED_AT, Requests};

/// The size of the buffers for octets before and after decompression.
const BUFFER: usize = 16 << 10;
/// Up to this original size, the ratio of a message does not matter: a connection may always use as much.
const ANY_RATIO: usize = 64 << 10;

/// The receiving half of a stream: takes octets as they were sent, and gives GIOP messages. It does no I/O.
#[derive(Debug)]
pub struct Incoming {
    /// The maximum ratio of original to compressed size.
    max_ratio: u32,
    /// The compressors whose messages are decompressed.
    accepted: Arc<Accepted>,
    /// What memory is charged to.
    share: Arc<MessageBudget>,
    /// Where requests are noted.
    requests: Option<Arc<Requests>>,
    received: Vec<u8>,
    start: usize,
    end: usize,
    part: Part,
    inflater: Option<Box<Inflater>>,
    /// Decompressed octets, of which those up to `ready` may be taken.
    output: Vec<u8>,
    ready: usize,
    taken: usize,
}

/// What the next received octets are.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// The beginning of a message.
    Beginning,
    /// The rest of a message that is not compressed.
    Plain(usize),
    /// The rest of a compressed message, whose header this is while a request is not noted.
    Compressed(Option<MessageHeader>),
    /// Octets that are not understood. The connection sees them as they are.
    Unknown,
}

/// What [`Incoming::take`] has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It has taken this number of octets.
    Taken(usize),
    /// It needs octets from the stream: in the [buffer](Incoming::space), or up to this number directly.
    Needs(Option<usize>),
}

impl Incoming {
    /// The half of a stream that nothing has been received from. `max_ratio` is the option `ZiopMaxRatio`, and `share` the
    /// part of the memory for messages that the peer may use.
    pub(crate) const fn new(
        max_ratio: u32,
        accepted: Arc<Accepted>,
        share: Arc<MessageBudget>,
    ) -> Self {
        Self {
            max_ratio,
            accepted,
            share,
            requests: None,
            received: Vec::new(),
            start: 0,
            end: 0,
            part: Part::Beginning,
            inflater: None,
            output: Vec::new(),
            ready: 0,
            taken: 0,
        }
    }

    /// That of a server's stream with all compressors, by itself, for tests and fuzzing.
    #[must_use]
    pub fn of_server(max_ratio: u32) -> Self {
        let incoming =
            Self::new(max_ratio, Arc::new(Accepted::all()), Arc::clone(process_budget()));
        incoming.noting(Arc::new(Requests::new(CompressorIdLevelList::default())))
    }

    /// The same, which notes the requests that it receives.
    pub(crate) fn noting(self, requests: Arc<Requests>) -> Self {
        Self { requests: Some(requests), ..self }
    }

    /// Takes octets of messages that have been received.
    ///
    /// # Errors
    /// - [`io::ErrorKind::InvalidData`]: a message cannot be decompressed, or exceeds the maximum ratio.
    /// - [`io::ErrorKind::OutOfMemory`]: the memory for messages is used up.
    pub fn take(&mut self, buffer: &mut [u8]) -> io::Result<Step> {
        loop {
            if self.taken < self.ready {
                let ready = self.output.get(self.taken..self.ready).unwrap_or_default();
                let count = copy(ready, buffer);
                self.taken += count;
                return Ok(Step::Taken(count));
            }
            if self.ready > 0 && self.ready == self.output.len() {
                self.output.clear();
                (self.ready, self.taken) = (0, 0);
            }
            let more = match &mut self.part {
                Part::Beginning => self.begin()?,
                Part::Compressed(request) => {
                    let request = *request;
                    self.decompress(request)?
                }
                Part::Plain(0) => {
                    self.part = Part::Beginning;
                    true
                }
                Part::Plain(_) | Part::Unknown if self.start == self.end => {
                    return Ok(Step::Needs(Some(self.direct())));
                }
                Part::Plain(_) | Part::Unknown => {
                    let most = self.direct();
                    let received = self.received.get(self.start..self.end).unwrap_or_default();
                    let count = copy(received.get(..most).unwrap_or(received), buffer);
                    self.start += count;
                    self.passed(count);
                    return Ok(Step::Taken(count));
                }
            };
            if !more {
                return Ok(Step::Needs(None));
            }
        }
    }

    /// The number of octets that may be received directly.
    const fn direct(&self) -> usize {
        if let Part::Plain(left) = self.part { left } else { usize::MAX }
    }

    /// Notes that octets have been received directly.
    pub fn passed(&mut self, count: usize) {
        if let Part::Plain(left) = &mut self.part {
            *left = left.saturating_sub(count);
        }
    }

    /// A buffer for octets that are received.
    pub fn space(&mut self) -> &mut [u8] {
        self.received.resize(BUFFER, 0);
        self.received.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        self.received.get_mut(self.end..).unwrap_or_default()
    }

    /// Notes that the buffer contains octets that have been received.
    pub fn filled(&mut self, count: usize) {
        self.end = (self.end + count).min(self.received.len());
    }

    /// Notes that the stream has ended. A message that is incomplete remains so.
    pub fn has_ended(&mut self) {
        if matches!(self.part, Part::Beginning) {
            self.part = Part::Unknown;
        }
    }

    /// Whether a part of a compressed message has been received, whose last octets may be withheld.
    #[must_use]
    pub const fn is_within_compressed(&self) -> bool {
        matches!(self.part, Part::Compressed(_))
    }

    /// Whether there are received octets that have not been taken. A message of which more is to be received may be among
    /// them.
    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.end && self.taken == self.ready
    }

    /// Reads the beginning of a message. Returns whether it was there.
    fn begin(&mut self) -> io::Result<bool> {
        let received = self.received.get(self.start..self.end).unwrap_or_default();
        if received.len() < HEADER_SIZE {
            return Ok(false);
        }
        if is_compressed(received) {
            return self.begin_compressed();
        }
        let Ok(Some(header)) = MessageHeader::parse_prefix(received) else {
            self.part = Part::Unknown;
            return Ok(true);
        };
        let total = header.total_size();
        if let Some(requests) = &self.requests
            && is_request(&header)
        {
            let Some(beginning) = received.get(..total.min(LOOKED_AT)) else { return Ok(false) };
            requests.note(beginning, &header);
        }
        self.part = Part::Plain(total);
        Ok(true)
    }

    /// The same of a message that is compressed.
    fn begin_compressed(&mut self) -> io::Result<bool> {
        let received = self.received.get(self.start..self.end).unwrap_or_default();
        let Some(beginning) = received.first_chunk() else { return Ok(false) };
        let Some(header) =
            CompressedHeader::parse(beginning).filter(|it| self.accepted.contains(it.compressor))
        else {
            self.part = Part::Unknown;
            return Ok(true);
        };
        let (compressed, original) = (header.length(), header.original_header());
        let size = original.size as usize;
        if size > ANY_RATIO && size / self.max_ratio as usize > compressed {
            return Err(invalid("message exceeds the option ZiopMaxRatio"));
        }
        self.start += CompressedHeader::SIZE;
        let compressor = header.compressor;
        let inflater = match self.inflater.take().filter(|it| it.can_begin(compressor)) {
            Some(inflater) => inflater,
            None => Box::new(Inflater::new(compressor, &self.share)?),
        };
        self.inflater.insert(inflater).begin(compressed, size);
        self.output.extend_from_slice(&original.to_octets());
        let notes = self.requests.is_some() && is_request(&original);
        self.part = Part::Compressed(notes.then_some(original));
        Ok(true)
    }

    /// Decompresses some of a message. Returns whether there was anything to decompress.
    fn decompress(&mut self, mut request: Option<MessageHeader>) -> io::Result<bool> {
        let Some(inflater) = &mut self.inflater else { return Ok(false) };
        let received = self.received.get(self.start..self.end).unwrap_or_default();
        let step = inflater.step(received, &mut self.output, BUFFER)?;
        self.start += step.read;
        if let (Some(header), Some(requests)) = (request, &self.requests)
            && self.output.len() >= header.total_size().min(LOOKED_AT)
        {
            requests.note(&self.output, &header);
            request = None;
        }
        // The last octets are given when the checksum has been compared.
        if request.is_none() && (inflater.has_ended() || !inflater.is_complete()) {
            self.ready = self.output.len();
        }
        let has_ended = inflater.has_ended();
        if has_ended && !inflater.is_kept() {
            self.inflater = None;
        }
        self.part = match has_ended {
            true => Part::Beginning,
            false => Part::Compressed(request),
        };
        Ok(step.read > 0 || step.produced > 0 || has_ended)
    }
}

/// Whether it may have a context with policies about compression: only GIOP 1.2 knows it.
fn is_request(header: &MessageHeader) -> bool {
    header.kind == MessageKind::Request && header.version >= GiopVersion::V1_2
}

fn copy(from: &[u8], to: &mut [u8]) -> usize {
    let count = from.len().min(to.len());
    if let (Some(from), Some(to)) = (from.get(..count), to.get_mut(..count)) {
        to.copy_from_slice(from);
    }
    count
}
