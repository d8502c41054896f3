//! Requests for groups, and the same requests for one object.
//!
//! An ORB identifies the target of a request by an object key. A group has none: the target of its
//! messages is the group's profile. Therefore the sender replaces the key, which consists of the
//! profile's octets, by the profile, and the receiver replaces the profile by the key of a member.

use zorb_cdr::{TextCoding, fallible};
use zorb_giop::{
    GiopVersion, MessageHeader, MessageKind, MessageWriter, ProfileTag, RequestHeader,
    RequestStart, ResponseFlags, TargetAddress, UipmcProfile,
};

use super::group::GroupName;

/// The GIOP 1.2 one-way request in `message`, if it is one.
fn read(message: &[u8]) -> Option<(MessageHeader, RequestHeader<'_>, &[u8])> {
    let header = MessageHeader::parse_prefix(message).ok()??;
    let is_request = header.kind == MessageKind::Request
        && header.version == GiopVersion::V1_2
        && !header.more_fragments
        && header.total_size() == message.len();
    if !is_request {
        return None;
    }
    let (request, body) = RequestHeader::read(message, &header).ok()?;
    let nobody_waits = request.response == ResponseFlags::NoResponse;
    nobody_waits.then(|| (header, request, body.rest()))
}

/// Writes the request in `message` with another target to `into`, without decoding its arguments.
fn write(message: &[u8], target: TargetAddress<'_>, into: &mut Vec<u8>) -> Option<()> {
    let (header, request, body) = read(message)?;
    let mut contexts = Vec::new();
    for context in request.service_contexts.iter() {
        fallible::push(&mut contexts, context).ok()?;
    }
    let start = RequestStart {
        request_id: request.request_id,
        response: request.response,
        target,
        operation: &request.operation,
        service_contexts: &contexts,
    };
    into.clear();
    let mut again = MessageWriter::request(into, header.version, header.order, &start).ok()?;
    // The arguments start at a multiple of 8 before and after.
    again.body(TextCoding::default()).put(body);
    again.finish().ok()
}

/// The request to the group whose profile is its object key.
pub(crate) fn for_group(message: &[u8], into: &mut Vec<u8>) -> Option<()> {
    let (_, request, _) = read(message)?;
    let TargetAddress::Key(data) = request.target else { return None };
    write(message, TargetAddress::Profile { tag: ProfileTag::UIPMC, data }, into)
}

/// The request to one member of its group.
pub(crate) fn for_member(message: &[u8], object_key: &[u8], into: &mut Vec<u8>) -> Option<()> {
    write(message, TargetAddress::Key(object_key), into)
}

/// The group of the request in `message`.
pub(crate) fn group_of(message: &[u8]) -> Option<GroupName> {
    let (_, request, _) = read(message)?;
    let TargetAddress::Profile { tag: ProfileTag::UIPMC, data } = request.target else {
        return None;
    };
    let group = UipmcProfile::decode(data).and_then(|profile| profile.group()).ok()?;
    Some(GroupName::from(group))
}
