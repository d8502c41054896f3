//! The service context `RTCorbaPriority`: the priority of an invocation.

use zorb_cdr::{ByteOrder, CdrReader, Number};

use super::Priority;

/// Encodes a priority as an encapsulated `short`.
///
/// ```text
/// +------------+---------+----------------+
/// | byte order | padding | short priority |
/// +------------+---------+----------------+
/// ```
pub(crate) fn encode(priority: Priority, order: ByteOrder) -> [u8; 4] {
    let [first, second] = priority.value().to_octets(order);
    [order.flag(), 0, first, second]
}

/// Decodes the priority in a service context; `None` if it is malformed.
pub(crate) fn decode(data: &[u8]) -> Option<Priority> {
    let mut reader = CdrReader::for_encapsulation(data).ok()?;
    Priority::new(reader.read_i16().ok()?).ok()
}
