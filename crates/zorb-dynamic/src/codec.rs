//! The codec of Portable Interceptors (CORBA 3.3 part 1, 16.7).

#[cfg(test)]
mod tests;

use std::fmt;

use zorb_cdr::{
    ByteOrder, CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter, TextCoding, WideForm, Wire,
};
use zorb_types::{Any, CompletionStatus, SystemException, Transfer, TypeCode};

/// Encodes anys as encapsulations and decodes them: `IOP::Codec` of the format `ENCODING_CDR_ENCAPS`.
///
/// ```
/// use zorb_dynamic::Codec;
/// use zorb_types::{Any, Typed};
///
/// let codec = Codec::new();
/// let octets = codec.encode(&Any::new::<i32>(&7)?)?;
/// assert_eq!(codec.decode(&octets)?.get::<i32>(), Some(7));
///
/// // Without the type, if both sides know it.
/// let octets = codec.encode_value(&Any::new::<String>("text")?)?;
/// let any = codec.decode_value(&octets, &String::type_code())?;
/// assert_eq!(any.get::<String>().as_deref(), Some("text"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Codec {
    order: ByteOrder,
    wide_form: WideForm,
}

/// A value cannot be encoded, or octets cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CodecError {
    /// `InvalidTypeForEncoding`: the version of GIOP does not support the type.
    InvalidTypeForEncoding,
    /// `FormatMismatch`: the octets are malformed.
    FormatMismatch(CdrError),
    /// The value cannot be encoded.
    Value(CdrError),
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidTypeForEncoding => f.write_str("the encoding has no values of this type"),
            Self::FormatMismatch(error) => write!(f, "the octets are no such encoding: {error}"),
            Self::Value(error) => write!(f, "the value cannot be encoded: {error}"),
        }
    }
}

impl std::error::Error for CodecError {}

impl From<CodecError> for SystemException {
    fn from(error: CodecError) -> Self {
        let (error, transfer) = match error {
            CodecError::InvalidTypeForEncoding => {
                let kind = CdrErrorKind::WideNotAllowed;
                (CdrError::new(kind, 0, "wide text"), Transfer::SendRequest)
            }
            CodecError::FormatMismatch(error) => (error, Transfer::ReceiveRequest),
            CodecError::Value(error) => (error, Transfer::SendRequest),
        };
        Self::from_cdr(error, CompletionStatus::No, transfer)
    }
}

impl Default for Codec {
    fn default() -> Self {
        Self::new()
    }
}

impl Codec {
    /// A codec of GIOP 1.2 and this machine's byte order.
    pub fn new() -> Self {
        Self { order: ByteOrder::NATIVE, wide_form: WideForm::Octets }
    }

    /// A codec for a version of GIOP, 1.0, 1.1 or 1.2, which determines the encoding of wide text
    /// (`CodecFactory::create_codec`); `None` for other versions.
    pub fn for_version(major: u8, minor: u8) -> Option<Self> {
        let wide_form = match (major, minor) {
            (1, 0) => WideForm::Absent,
            (1, 1) => WideForm::Units,
            (1, 2) => WideForm::Octets,
            _ => return None,
        };
        Some(Self { wide_form, ..Self::new() })
    }

    /// The same codec with this byte order for encoding; it decodes both.
    #[must_use]
    pub fn with_order(self, order: ByteOrder) -> Self {
        Self { order, ..self }
    }

    /// `encode`: the any with its TypeCode.
    ///
    /// # Errors
    /// The value cannot be encoded.
    pub fn encode(&self, any: &Any) -> Result<Vec<u8>, CodecError> {
        self.encoded(|writer| Any::write(any, writer))
    }

    /// `encode_value`: the value alone.
    ///
    /// # Errors
    /// The value cannot be encoded.
    pub fn encode_value(&self, any: &Any) -> Result<Vec<u8>, CodecError> {
        self.encoded(|writer| any.write_value(writer))
    }

    /// `decode`: an any from [`encode`](Self::encode).
    ///
    /// # Errors
    /// `FormatMismatch`.
    pub fn decode(&self, octets: &[u8]) -> Result<Any, CodecError> {
        self.decoded(octets, Any::read)
    }

    /// `decode_value`: a value of this type from [`encode_value`](Self::encode_value).
    ///
    /// # Errors
    /// `FormatMismatch`.
    pub fn decode_value(&self, octets: &[u8], type_code: &TypeCode) -> Result<Any, CodecError> {
        self.decoded(octets, |reader| Any::read_value(type_code.clone(), reader))
    }

    fn text(&self) -> TextCoding {
        TextCoding { wide_form: self.wide_form, ..TextCoding::ENCAPSULATION }
    }

    fn encoded(
        &self,
        body: impl FnOnce(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> Result<Vec<u8>, CodecError> {
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, self.order).with_text(self.text());
        writer.write_u8(self.order.flag());
        match body(&mut writer).and_then(|()| writer.finish()) {
            Ok(()) => Ok(octets),
            Err(error) if error.kind == CdrErrorKind::WideNotAllowed => {
                Err(CodecError::InvalidTypeForEncoding)
            }
            Err(error) => Err(CodecError::Value(error)),
        }
    }

    fn decoded(
        &self,
        octets: &[u8],
        body: impl FnOnce(&mut CdrReader<'_>) -> CdrResult<Any>,
    ) -> Result<Any, CodecError> {
        let read = || {
            let mut reader = CdrReader::for_encapsulation(octets)?.with_text(self.text());
            body(&mut reader)
        };
        read().map_err(CodecError::FormatMismatch)
    }
}
