//! One call of many objects, whose arguments are encoded once.

use std::borrow::Cow;
use std::cell::RefCell;

use zorb_base::gather::{Body, WriteBody};
use zorb_base::raises::Raises;
use zorb_cdr::{CdrErrorKind, CdrResult, CdrWriter, Gathered};
use zorb_giop::ResponseFlags;
use zorb_types::SystemException;

use super::super::invoke::invoke;
use super::super::reply::ReadReply;
use super::arguments::Arguments;
use super::results::ResultReader;
use super::{Pending, ReadResults};
use crate::object::ObjectRef;

/// What messages are aligned to.
const ALIGNMENT: usize = 8;

impl ObjectRef {
    /// Sends the same call to many objects without waiting for the replies, as [`send`](Self::send) does to one. The
    /// result has a pending call for each of `targets`, in their order.
    ///
    /// `arguments` writes the parameters once, and again only for a target whose connection encodes them otherwise:
    /// with another code set, or at another alignment. Targets can be of any protocols.
    pub fn send_to_all<'t, T, E: Raises>(
        targets: impl IntoIterator<Item = &'t Self>,
        operation: impl Into<Cow<'static, str>>,
        arguments: impl Fn(&mut CdrWriter<'_>) -> CdrResult<()>,
        results: ReadResults<T>,
    ) -> Vec<Pending<T, E>> {
        let (operation, shared) = (operation.into(), SharedBody::new(&arguments));
        let reader = ResultReader::typed(results);
        let send = |target| Pending::sent(target, operation.clone(), &shared, reader.clone());
        targets.into_iter().map(send).collect()
    }

    /// Sends the same one-way request to many objects, as [`invoke_oneway`](Self::invoke_oneway) does to one, and
    /// encodes it as [`send_to_all`](Self::send_to_all). Returns for each of `targets`, in their order, whether the
    /// request could be sent, or the system exception that prevented it.
    pub fn send_oneway_to_all<'t>(
        targets: impl IntoIterator<Item = &'t Self>,
        operation: &str,
        arguments: impl Fn(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> Vec<Result<(), SystemException>> {
        let shared = SharedBody::new(&arguments);
        let (response, nobody) = (ResponseFlags::NoResponse, ReadReply::Nobody);
        let send = |target| invoke(target, operation, response, &shared, nobody);
        targets.into_iter().map(send).collect()
    }
}

/// Arguments that are encoded once for all requests in which their encoding is the same.
struct SharedBody<'a> {
    write: WriteBody<'a>,
    encoded: RefCell<Vec<Arguments>>,
}

impl<'a> SharedBody<'a> {
    fn new(write: WriteBody<'a>) -> Self {
        Self { write, encoded: RefCell::default() }
    }

    /// Encodes them as they are at this offset of a message.
    #[cold]
    fn encode(&self, writer: &CdrWriter<'_>) -> CdrResult<()> {
        let (at, text) = (writer.offset(), writer.text());
        let before = at % ALIGNMENT;
        let mut octets = vec![0; before];
        let mut own = CdrWriter::resume(&mut octets, writer.order()).with_text(text);
        self.write.write(&mut own)?;
        own.finish()?;
        let arguments = Arguments::new(octets.get(before..).unwrap_or_default(), at, text)
            .map_err(|_| writer.error(CdrErrorKind::OutOfMemory, "arguments"))?;
        self.encoded.borrow_mut().push(arguments);
        Ok(())
    }
}

impl Body for SharedBody<'_> {
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        let (at, text) = (writer.offset(), writer.text());
        loop {
            let encoded = self.encoded.borrow();
            if let Some(known) = encoded.iter().rev().find(|known| known.fit(at, text)) {
                return writer.put_many(known.octets(), Gathered::Value, "arguments");
            }
            drop(encoded);
            self.encode(writer)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use zorb_cdr::{ByteOrder, CharSet, TextCoding, Wire};

    use super::*;

    /// The encoding behind this many octets of a message.
    fn written(body: WriteBody<'_>, before: usize, char_set: CharSet) -> Vec<u8> {
        let mut octets = vec![0; before];
        let text = TextCoding { char_set, ..TextCoding::default() };
        let mut writer = CdrWriter::resume(&mut octets, ByteOrder::NATIVE).with_text(text);
        body.write(&mut writer).unwrap();
        octets.split_off(before)
    }

    #[test]
    fn arguments_are_encoded_again_only_where_that_changes_them() {
        for (text, times) in [("plain", 2), ("\u{e4}", 3)] {
            let encoded = Cell::new(0);
            let arguments = |writer: &mut CdrWriter<'_>| {
                encoded.set(encoded.get() + 1);
                String::write(text, writer)?;
                i64::write(&times, writer)
            };
            let shared = SharedBody::new(&arguments);
            let positions = [
                (24, CharSet::Utf8),
                (32, CharSet::Utf8),
                (28, CharSet::Utf8),
                (40, CharSet::Latin1),
                (24, CharSet::Utf8),
                (44, CharSet::Utf8),
            ];
            let alike: Vec<_> =
                positions.iter().map(|&(at, set)| written(&shared, at, set)).collect();
            assert_eq!(encoded.get(), times, "{text}");
            let alone = positions.iter().map(|&(at, set)| written(&arguments, at, set));
            assert!(alike.into_iter().eq(alone), "{text}");
        }
    }
}
