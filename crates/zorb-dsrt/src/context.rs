//! The service context with the distributable thread of a request.
//!
//! The standard leaves its contents to the scheduler. Zorb's is the same for all schedulers: an encapsulation with the
//! id [`ServiceId::ZORB_DISTRIBUTABLE_THREAD`](zorb_giop::ServiceId):
//!
//! ```text
//! +------------+---------+-----------------------+-------------------+----------------------------+
//! | byte order | padding | sequence<octet> id,   | ulong discipline: | by the discipline          |
//! |            |         | 16 octets             | 0, 1, 2 or 3      |                            |
//! +------------+---------+-----------------------+-------------------+----------------------------+
//! 0 none      | nothing
//! 1 priority  | short priority
//! 2 deadline  | TimeT deadline
//! 3 urgency   | ulong criticality (0 to 4); TimeT deadline; TimeT execution
//! ```

use std::time::Duration;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_core::policy::Deadline;
use zorb_rt::Priority;

use super::parameters::{Criticality, Parameters};
use super::thread_id::ThreadId;

const NONE: u32 = 0;
const PRIORITY: u32 = 1;
const DEADLINE: u32 = 2;
const URGENCY: u32 = 3;

/// Encodes the context.
pub(crate) fn encode(
    id: &ThreadId,
    parameters: Option<&Parameters>,
    order: ByteOrder,
) -> CdrResult<Vec<u8>> {
    CdrWriter::encapsulation(order, |writer| {
        writer.write_octets(id.octets())?;
        match parameters {
            None => writer.write_u32(NONE),
            Some(Parameters::Priority(priority)) => {
                writer.write_u32(PRIORITY);
                writer.write_i16(priority.value());
            }
            Some(Parameters::Deadline(deadline)) => {
                writer.write_u32(DEADLINE);
                writer.write_u64(deadline.as_time_t());
            }
            Some(Parameters::Urgency { criticality, deadline, execution }) => {
                writer.write_u32(URGENCY);
                writer.write_u32(*criticality as u32);
                writer.write_u64(deadline.as_time_t());
                let units = execution.as_nanos().div_ceil(100);
                writer.write_u64(u64::try_from(units).unwrap_or(u64::MAX));
            }
        }
        Ok(())
    })
}

/// Decodes the context.
pub(crate) fn decode(data: &[u8]) -> CdrResult<(ThreadId, Option<Parameters>)> {
    let mut reader = CdrReader::for_encapsulation(data)?;
    let id = read_id(&mut reader)?;
    let parameters = match reader.read_u32()? {
        NONE => None,
        PRIORITY => {
            let priority = Priority::new(reader.read_i16()?)
                .map_err(|_| reader.error(CdrErrorKind::BoundExceeded, "Priority"))?;
            Some(Parameters::Priority(priority))
        }
        DEADLINE => Some(Parameters::Deadline(Deadline::from_time_t(reader.read_u64()?))),
        URGENCY => {
            let criticality = usize::try_from(reader.read_u32()?).unwrap_or(usize::MAX);
            let criticality = Criticality::ALL.get(criticality).copied();
            let criticality =
                criticality.ok_or_else(|| reader.error(CdrErrorKind::BadEnum, "criticality"))?;
            let deadline = Deadline::from_time_t(reader.read_u64()?);
            let execution = reader.read_u64()?;
            let execution = Duration::from_nanos(execution.saturating_mul(100));
            Some(Parameters::Urgency { criticality, deadline, execution })
        }
        _ => return Err(reader.error(CdrErrorKind::BadEnum, "scheduling discipline")),
    };
    Ok((id, parameters))
}

/// Reads a thread id, a sequence of 16 octets.
pub(crate) fn read_id(reader: &mut CdrReader<'_>) -> CdrResult<ThreadId> {
    let octets = reader.read_octets()?;
    let octets = octets.try_into();
    let octets = octets
        .map_err(|_| reader.error(CdrErrorKind::BoundExceeded, "distributable thread's id"))?;
    Ok(ThreadId::from_octets(octets))
}
