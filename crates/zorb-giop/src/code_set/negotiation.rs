//! Negotiation of the code sets of a connection.

use alloc::vec::Vec;
use core::fmt;

use zorb_cdr::{
    ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, CharSet, Number, TextCoding,
    WideForm, WideSet,
};

use super::CodeSetId;
use crate::{ComponentBody, ComponentTag, GiopVersion, ServiceContext, ServiceId};

/// The maximum number of conversion code sets in a component.
pub const MAX_CONVERSION_SETS: usize = 1024;

/// The code sets of a peer for one kind of text (`CONV_FRAME::CodeSetComponent`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CodeSetComponent {
    /// The native code set.
    pub native: CodeSetId,
    /// The code sets that it can convert to and from, best first.
    pub conversions: Vec<CodeSetId>,
}

/// `TAG_CODE_SETS`: the code sets of a server (CORBA 3.3 part 2, 7.10.2.4).
///
/// ```text
/// +------------+---------+--------------------+-----------------------------+
/// | byte order | padding | ulong native char  | sequence<ulong> conversions |
/// +------------+---------+--------------------+-----------------------------+
///                        | ulong native wchar | sequence<ulong> conversions |
///                        +--------------------+-----------------------------+
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CodeSetComponentInfo {
    /// For `char` and `string`.
    pub for_char: CodeSetComponent,
    /// For `wchar` and `wstring`; a native set of 0 means there are none.
    pub for_wchar: CodeSetComponent,
}

impl CodeSetComponentInfo {
    /// The code sets of Zorb: native UTF-8, with conversion to ISO 8859-1 and ASCII; native UTF-16, with
    /// conversion to UCS-2.
    pub fn zorb() -> Self {
        Self::with_native_char(CodeSetId::UTF_8)
    }

    /// The same with another of its code sets as the native one of `char`.
    pub fn with_native_char(native: CodeSetId) -> Self {
        let sets = [CodeSetId::UTF_8, CodeSetId::ISO_8859_1, CodeSetId::ISO_646_IRV];
        Self {
            for_char: CodeSetComponent {
                native,
                conversions: sets.into_iter().filter(|set| *set != native).collect(),
            },
            for_wchar: CodeSetComponent {
                native: CodeSetId::UTF_16,
                conversions: Vec::from([CodeSetId::UCS_2_LEVEL_1]),
            },
        }
    }
}

impl ComponentBody for CodeSetComponentInfo {
    const TAG: ComponentTag = ComponentTag::CODE_SETS;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        for component in [&self.for_char, &self.for_wchar] {
            writer.write_u32(component.native.0);
            writer.write_count(component.conversions.len(), "conversion code sets")?;
            component.conversions.iter().for_each(|set| writer.write_u32(set.0));
        }
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let for_char = read_component(reader)?;
        Ok(Self { for_char, for_wchar: read_component(reader)? })
    }
}

fn read_component(reader: &mut CdrReader<'_>) -> CdrResult<CodeSetComponent> {
    let native = CodeSetId(reader.read_u32()?);
    let count = reader.read_count(4, "conversion code sets")?;
    if count > MAX_CONVERSION_SETS {
        return Err(reader.error(CdrErrorKind::BoundExceeded, "conversion code sets"));
    }
    let mut conversions = Vec::with_capacity(count);
    for _ in 0..count {
        conversions.push(CodeSetId(reader.read_u32()?));
    }
    Ok(CodeSetComponent { native, conversions })
}

/// The code sets of a connection, as in the CodeSets service context (`CONV_FRAME::CodeSetContext`; CORBA
/// 3.3 part 2, 7.10.2.5).
///
/// ```text
/// +------------+---------+-----------------+------------------+
/// | byte order | padding | ulong char_data | ulong wchar_data |
/// +------------+---------+-----------------+------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodeSetContext {
    /// The transmission code set of `char` and `string`.
    pub char_data: CodeSetId,
    /// The transmission code set of `wchar` and `wstring`; 0 for none.
    pub wchar_data: CodeSetId,
}

impl CodeSetContext {
    /// The code sets of a connection without a context: ISO 8859-1 and no wide text.
    pub const DEFAULT: Self =
        Self { char_data: CodeSetId::ISO_8859_1, wchar_data: CodeSetId::NONE };

    /// Reads the data of a CodeSets service context.
    ///
    /// # Errors
    /// `Truncated`.
    pub fn decode(data: &[u8]) -> CdrResult<Self> {
        let mut reader = CdrReader::for_encapsulation(data)?;
        let char_data = CodeSetId(reader.read_u32()?);
        Ok(Self { char_data, wchar_data: CodeSetId(reader.read_u32()?) })
    }

    /// The data of a CodeSets service context.
    pub fn encode(self, order: ByteOrder) -> [u8; 12] {
        let octets = |set: CodeSetId| set.0.to_octets(order);
        let [c0, c1, c2, c3] = octets(self.char_data);
        let [w0, w1, w2, w3] = octets(self.wchar_data);
        [order.flag(), 0, 0, 0, c0, c1, c2, c3, w0, w1, w2, w3]
    }

    /// The service context, to be sent with the first request of a connection.
    pub fn service_context(self, order: ByteOrder) -> ServiceContext<'static> {
        ServiceContext::new(ServiceId::CODE_SETS, self.encode(order).to_vec())
    }
}

/// A failure of the code set negotiation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CodeSetError {
    /// Client and server have no code set in common: `CODESET_INCOMPATIBLE`, OMG minor 1.
    Incompatible {
        /// The native code set of the server.
        server: CodeSetId,
    },
    /// The peer chose a code set that Zorb does not offer: `CODESET_INCOMPATIBLE`, OMG minor 2.
    NotSupported(CodeSetId),
    /// The context is malformed: `MARSHAL`.
    Malformed(zorb_cdr::CdrError),
}

impl fmt::Display for CodeSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Incompatible { server } => {
                write!(f, "no code set in common; the native one of the server is {server}")
            }
            Self::NotSupported(set) => write!(f, "the peer chose {set}, which was not offered"),
            Self::Malformed(cause) => write!(f, "malformed CodeSets context: {cause}"),
        }
    }
}

impl core::error::Error for CodeSetError {}

/// Chooses the transmission code sets, as the client does (CORBA 3.3 part 2, 7.10.2.6): the native set if
/// both have the same one; else the server's native set, if the client converts; else the client's native
/// set, if the server converts; else the server's first conversion set that the client has too; else UTF-8
/// or UTF-16, if both native sets are Unicode.
///
/// One rule precedes those of the standard, so that no character is lost: if the client's native set is
/// Unicode, the server's is not, and the server converts, the client's native set is chosen.
///
/// # Errors
/// `Incompatible` if there is no set for `char`. If there is no set for `wchar`, the connection has no wide
/// text.
pub fn negotiate(
    client: &CodeSetComponentInfo,
    server: &CodeSetComponentInfo,
) -> Result<CodeSetContext, CodeSetError> {
    let char_data = choose(&client.for_char, &server.for_char)
        .or_else(|| {
            let compatible =
                is_unicode(client.for_char.native) && is_unicode(server.for_char.native);
            compatible.then_some(CodeSetId::UTF_8)
        })
        .ok_or(CodeSetError::Incompatible { server: server.for_char.native })?;
    let wchar_data = choose(&client.for_wchar, &server.for_wchar)
        .or_else(|| {
            let compatible =
                is_unicode(client.for_wchar.native) && is_unicode(server.for_wchar.native);
            compatible.then_some(CodeSetId::UTF_16)
        })
        .unwrap_or(CodeSetId::NONE);
    Ok(CodeSetContext { char_data, wchar_data })
}

fn choose(client: &CodeSetComponent, server: &CodeSetComponent) -> Option<CodeSetId> {
    if server.native == CodeSetId::NONE || client.native == CodeSetId::NONE {
        return None;
    }
    if client.native == server.native {
        return Some(server.native);
    }
    // By the standard the client converts rather than the server, which would lose characters if only the
    // client's native set is Unicode.
    let lossless = is_unicode(client.native) && !is_unicode(server.native);
    if lossless && server.conversions.contains(&client.native) {
        return Some(client.native);
    }
    if client.conversions.contains(&server.native) {
        return Some(server.native);
    }
    if server.conversions.contains(&client.native) {
        return Some(client.native);
    }
    server.conversions.iter().copied().find(|set| client.conversions.contains(set))
}

/// Whether a set has all of Unicode, or its basic multilingual plane.
fn is_unicode(set: CodeSetId) -> bool {
    matches!(set, CodeSetId::UTF_8 | CodeSetId::UTF_16)
        || (CodeSetId::UCS_2_LEVEL_1..=CodeSetId::UCS_4_LEVEL_3).contains(&set)
}

/// The text coding of messages of `version` on a connection with these code sets.
///
/// GIOP 1.0 has no negotiation and no wide text, so the context is ignored.
///
/// # Errors
/// `NotSupported` for a code set that Zorb does not have.
pub fn text_coding(
    context: CodeSetContext,
    version: GiopVersion,
) -> Result<TextCoding, CodeSetError> {
    let wide_form = match version {
        GiopVersion::V1_0 => {
            return Ok(TextCoding {
                char_set: CharSet::Latin1,
                wide_set: None,
                wide_form: WideForm::Absent,
            });
        }
        GiopVersion::V1_1 => WideForm::Units,
        GiopVersion::V1_2 => WideForm::Octets,
    };
    let char_set = match context.char_data {
        CodeSetId::UTF_8 => CharSet::Utf8,
        // ASCII is a subset of ISO 8859-1.
        CodeSetId::ISO_8859_1 | CodeSetId::ISO_646_IRV => CharSet::Latin1,
        other => return Err(CodeSetError::NotSupported(other)),
    };
    let wide_set = match context.wchar_data {
        CodeSetId::NONE => None,
        CodeSetId::UTF_16 => Some(WideSet::Utf16),
        CodeSetId::UCS_2_LEVEL_1 | CodeSetId::UCS_2_LEVEL_2 | CodeSetId::UCS_2_LEVEL_3 => {
            Some(WideSet::Ucs2)
        }
        other => return Err(CodeSetError::NotSupported(other)),
    };
    Ok(TextCoding { char_set, wide_set, wide_form })
}
