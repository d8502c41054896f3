//! The service context `INVOCATION_POLICIES`, as far as it is about when a request ends.
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
use zorb_core::policy::PolicyType;

use super::Deadline;

/// Until when a request is of use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    /// By when it is to be with its object (`RequestEndTimePolicy`).
    pub(super) request: Option<Deadline>,
    /// By when its reply is to be back (`ReplyEndTimePolicy`).
    pub(super) reply: Option<Deadline>,
}

/// The octets of the context, at most 72.
pub(super) fn encode(ends: Ends, order: ByteOrder) -> CdrResult<Vec<u8>> {
    let times =
        [(PolicyType::REQUEST_END_TIME, ends.request), (PolicyType::REPLY_END_TIME, ends.reply)];
    let times = times.iter().filter_map(|(policy, time)| Some((policy, (*time)?)));
    CdrWriter::encapsulation(order, |writer| {
        writer.write_count(times.clone().count(), "PolicyValueSeq")?;
        for (policy, time) in times {
            writer.write_u32(policy.0);
            let value = CdrWriter::encapsulation(order, |writer| {
                writer.write_u64(time.as_time_t());
                writer.write_u32(0);
                writer.write_u16(0);
                writer.write_i16(0);
                Ok(())
            })?;
            writer.write_octets(&value)?;
        }
        Ok(())
    })
}

/// What a context's octets say. Of two values for the same the earlier counts; policies about anything
/// else are passed over.
pub(super) fn decode(data: &[u8]) -> CdrResult<Ends> {
    let mut reader = CdrReader::for_encapsulation(data)?;
    let mut ends = Ends::default();
    for _ in 0..reader.read_count(8, "PolicyValueSeq")? {
        let policy = PolicyType(reader.read_u32()?);
        let value = reader.read_octets()?;
        let place = match policy {
            PolicyType::REQUEST_END_TIME => &mut ends.request,
            PolicyType::REPLY_END_TIME => &mut ends.reply,
            _ => continue,
        };
        // How inexact it is, and the time zone, are of no account here.
        let time = Deadline::from_time_t(CdrReader::for_encapsulation(value)?.read_u64()?);
        *place = Some(place.map_or(time, |known| known.min(time)));
    }
    Ok(ends)
}
