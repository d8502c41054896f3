//! The end times of requests in the service context `INVOCATION_POLICIES`.
//!
//! ```text
//! +------------+---------+------------------------+
//! | byte order | padding | sequence<PolicyValue>: |
//! +------------+---------+---+----+---------------+------------------------------+
//! | ulong policy type: 28 (RequestEndTime) or 30 (ReplyEndTime)                    |
//! | sequence<octet>, an encapsulation of a TimeBase::UtcT:                         |
//! |   TimeT time; ulong inacclo; ushort inacchi; short tdf                         |
//! +--------------------------------------------------------------------------------+
//! ```

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter};

use crate::policy::{Deadline, PolicyType};

/// The end times of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RequestEnd {
    /// The time by which it must reach its object (`RequestEndTimePolicy`).
    pub(super) request: Option<Deadline>,
    /// The time by which its reply must arrive (`ReplyEndTimePolicy`).
    pub(super) reply: Option<Deadline>,
}

/// Encodes the context.
pub(super) fn encode(ends: RequestEnd, order: ByteOrder) -> CdrResult<Vec<u8>> {
    let times =
        [(PolicyType::REQUEST_END_TIME, ends.request), (PolicyType::REPLY_END_TIME, ends.reply)];
    let times = times.iter().filter_map(|(policy, time)| Some((policy, (*time)?)));
    CdrWriter::encapsulation(order, |writer| {
        writer.write_count(times.clone().count(), "PolicyValueSeq")?;
        for (policy, time) in times {
            writer.write_u32(policy.0);
            let value = CdrWriter::encapsulation(order, |writer| {
                time.write_utc(writer);
                Ok(())
            })?;
            writer.write_octets(&value)?;
        }
        Ok(())
    })
}

/// Decodes the context. If it contains several times of one kind, the earliest counts; other policies are ignored.
pub(super) fn decode(data: &[u8]) -> CdrResult<RequestEnd> {
    let mut reader = CdrReader::for_encapsulation(data)?;
    let mut ends = RequestEnd::default();
    for _ in 0..reader.read_count(8, "PolicyValueSeq")? {
        let policy = PolicyType(reader.read_u32()?);
        let value = reader.read_octets()?;
        let end = match policy {
            PolicyType::REQUEST_END_TIME => &mut ends.request,
            PolicyType::REPLY_END_TIME => &mut ends.reply,
            _ => continue,
        };
        let time = Deadline::read_utc(&mut CdrReader::for_encapsulation(value)?)?;
        *end = Some(end.map_or(time, |known| known.min(time)));
    }
    Ok(ends)
}
