//! Service contexts: data of ORB services in requests and replies.

use alloc::borrow::Cow;
use core::fmt;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter};

/// The maximum number of service contexts of a message. Real messages have fewer than ten.
pub const MAX_SERVICE_CONTEXTS: usize = 1024;

/// The size of an empty service context in octets.
const MIN_CONTEXT_SIZE: usize = 8;

/// The service of a context (`IOP::ServiceId`). Unknown ids are ignored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServiceId(pub u32);

macro_rules! service_ids {
    ($($(#[$doc:meta])* $name:ident = $value:literal, $text:literal;)*) => {
        impl ServiceId {
            $($(#[$doc])* pub const $name: Self = Self($value);)*

            /// The name of the service, if the id is known.
            pub const fn name(self) -> Option<&'static str> {
                Some(match self.0 {
                    $($value => $text,)*
                    _ => return None,
                })
            }
        }
    };
}

service_ids! {
    /// `CosTransactions::PropagationContext`.
    TRANSACTION_SERVICE = 0, "TransactionService";
    /// The code sets in use: [`CodeSetContext`](crate::CodeSetContext).
    CODE_SETS = 1, "CodeSets";
    /// Bidirectional GIOP: the addresses at which the initiator of the connection listens.
    BI_DIR_IIOP = 5, "BI_DIR_IIOP";
    /// RMI-IIOP: the sender's code base.
    SENDING_CONTEXT_RUN_TIME = 6, "SendingContextRunTime";
    /// Messaging policies of the invocation: `sequence<PolicyValue>`.
    INVOCATION_POLICIES = 7, "INVOCATION_POLICIES";
    /// Firewall: the identity that a proxy forwards.
    FORWARDED_IDENTITY = 8, "FORWARDED_IDENTITY";
    /// RMI-IIOP: the throwable that became an UNKNOWN.
    UNKNOWN_EXCEPTION_INFO = 9, "UnknownExceptionInfo";
    /// The RT-CORBA priority of an invocation: a `short`.
    RT_CORBA_PRIORITY = 10, "RTCorbaPriority";
    /// The priority range of a banded connection: two `short`s.
    RT_CORBA_PRIORITY_RANGE = 11, "RTCorbaPriorityRange";
    /// Fault tolerance: the version of the object group reference in use.
    FT_GROUP_VERSION = 12, "FT_GROUP_VERSION";
    /// Fault tolerance: client id, retention id and expiration of a request.
    FT_REQUEST = 13, "FT_REQUEST";
    /// The reason for a system exception: a `wstring`.
    EXCEPTION_DETAIL_MESSAGE = 14, "ExceptionDetailMessage";
    /// CSIv2's security context.
    SECURITY_ATTRIBUTE_SERVICE = 15, "SecurityAttributeService";
    /// The activity service.
    ACTIVITY_SERVICE = 16, "ActivityService";
    /// RT-CORBA's dynamic scheduling: the distributable thread of a request, and its scheduling parameters.
    ZORB_DISTRIBUTABLE_THREAD = 0x5a52_4206, "ZORB_DISTRIBUTABLE_THREAD";
    /// The number and time of a frame (`zorb_av::Stamp`), which frames have in their header.
    ZORB_FRAME_STAMP = 0x5a52_4207, "ZORB_FRAME_STAMP";
}

impl fmt::Debug for ServiceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "ServiceId({name})"),
            None => write!(f, "ServiceId({:#x})", self.0),
        }
    }
}

/// One service context (CORBA 3.3 part 2, 9.7.8 `IOP::ServiceContext`), borrowed or owned.
///
/// ```text
/// +----------------+----------------+------------------------+
/// | ulong id       | ulong length   | data, an encapsulation |
/// +----------------+----------------+------------------------+
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceContext<'a> {
    /// The service.
    pub id: ServiceId,
    /// Its data, usually an encapsulation: read it with
    /// [`CdrReader::for_encapsulation`](zorb_cdr::CdrReader::for_encapsulation).
    pub data: Cow<'a, [u8]>,
}

impl<'a> ServiceContext<'a> {
    /// A context over borrowed or owned data.
    pub fn new(id: ServiceId, data: impl Into<Cow<'a, [u8]>>) -> Self {
        Self { id, data: data.into() }
    }

    /// The same context without a borrow.
    pub fn into_owned(self) -> ServiceContext<'static> {
        ServiceContext { id: self.id, data: Cow::Owned(self.data.into_owned()) }
    }
}

/// Writes a list of contexts. Most lists are empty.
#[inline]
pub(crate) fn write_contexts(
    contexts: &[ServiceContext<'_>],
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    if contexts.is_empty() {
        writer.write_u32(0);
        return Ok(());
    }
    write_some(contexts, writer)
}

#[inline(never)]
fn write_some(contexts: &[ServiceContext<'_>], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    writer.write_count(contexts.len(), "service context list")?;
    for context in contexts {
        writer.write_u32(context.id.0);
        writer.write_octets(&context.data)?;
    }
    Ok(())
}

/// The service contexts of a received message: validated once, then read from the message.
#[derive(Clone, Copy)]
pub struct ServiceContexts<'a> {
    /// The octets from the first context on, with `count` well-formed contexts; the data of the `single` one.
    octets: &'a [u8],
    count: u32,
    /// The offset of `octets` in the message, modulo 8.
    phase: u8,
    order: ByteOrder,
    single: Option<ServiceId>,
}

impl<'a> ServiceContexts<'a> {
    /// No contexts.
    pub const NONE: Self =
        Self { octets: &[], count: 0, phase: 0, order: ByteOrder::NATIVE, single: None };

    /// One context of service `id` with this data, for messaging protocols whose headers contain it in another form.
    pub const fn single(id: ServiceId, data: &'a [u8]) -> Self {
        Self { octets: data, count: 1, single: Some(id), ..Self::NONE }
    }

    /// Validates the list at the position of the reader, and moves the reader to its end.
    ///
    /// # Errors
    /// `Truncated`, `LengthBeyondEnd`; `BoundExceeded` above [`MAX_SERVICE_CONTEXTS`].
    #[inline]
    pub fn read(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        let count = reader.read_count(MIN_CONTEXT_SIZE, "service context list")?;
        // Most messages have no contexts.
        if count == 0 { Ok(Self::NONE) } else { Self::read_some(reader, count) }
    }

    #[inline(never)]
    fn read_some(reader: &mut CdrReader<'a>, count: usize) -> CdrResult<Self> {
        if count > MAX_SERVICE_CONTEXTS {
            return Err(reader.error(CdrErrorKind::BoundExceeded, "service context list"));
        }
        let contexts = Self {
            octets: reader.rest(),
            count: count as u32,
            phase: (reader.offset() & 7) as u8,
            order: reader.order(),
            single: None,
        };
        for _ in 0..count {
            reader.read_u32()?;
            reader.read_octets()?;
        }
        Ok(contexts)
    }

    /// The data of the first context of service `id`.
    #[inline]
    pub fn find(&self, id: ServiceId) -> Option<&'a [u8]> {
        if self.is_empty() { None } else { self.find_among_some(id) }
    }

    #[inline(never)]
    fn find_among_some(&self, id: ServiceId) -> Option<&'a [u8]> {
        self.entries().find(|&(found, _)| found == id).map(|(_, data)| data)
    }

    /// The number of contexts.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are no contexts.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The contexts in the order of the message, with data borrowed from it.
    pub fn iter(&self) -> impl Iterator<Item = ServiceContext<'a>> + use<'a> {
        self.entries().map(|(id, data)| ServiceContext { id, data: Cow::Borrowed(data) })
    }

    fn entries(&self) -> impl Iterator<Item = (ServiceId, &'a [u8])> + use<'a> {
        let Self { octets, count, phase, order, single } = *self;
        let mut reader = CdrReader::new(octets, order).with_origin(usize::from(phase));
        (0..count).map_while(move |_| match single {
            Some(id) => Some((id, octets)),
            None => {
                let id = reader.read_u32().ok()?;
                Some((ServiceId(id), reader.read_octets().ok()?))
            }
        })
    }
}

impl fmt::Debug for ServiceContexts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
