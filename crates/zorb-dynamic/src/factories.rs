//! The factories that are initial references: `CodecFactory` and `DynAnyFactory`.

use std::fmt;

use zorb_types::{Any, TypeCode};

use crate::codec::Codec;
use crate::dyn_any::{DynAny, DynAnyResult};

/// The format of an encoding (`IOP::EncodingFormat`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EncodingFormat(pub i16);

impl EncodingFormat {
    /// CDR encapsulations, the format of [`Codec`] (`ENCODING_CDR_ENCAPS`).
    pub const CDR_ENCAPS: Self = Self(0);
}

/// An encoding for which a codec is wanted (`IOP::Encoding`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Encoding {
    /// The format.
    pub format: EncodingFormat,
    /// The major version of GIOP.
    pub major_version: u8,
    /// The minor version of GIOP.
    pub minor_version: u8,
}

/// There is no codec for an encoding (`IOP::CodecFactory::UnknownEncoding`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownEncoding(pub Encoding);

impl fmt::Display for UnknownEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Encoding { format, major_version, minor_version } = self.0;
        write!(f, "no codec for format {} of GIOP {major_version}.{minor_version}", format.0)
    }
}

impl std::error::Error for UnknownEncoding {}

/// Creates codecs (`IOP::CodecFactory`, CORBA 3.3 part 1, 16.7.3): the initial reference `CodecFactory`.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct CodecFactory;

impl CodecFactory {
    /// The factory, which has no state.
    pub fn new() -> Self {
        Self
    }

    /// A codec for an encoding (`create_codec`).
    ///
    /// # Errors
    /// The format is not [`EncodingFormat::CDR_ENCAPS`], or the version is not one of GIOP 1.0 to 1.2.
    pub fn create_codec(&self, encoding: Encoding) -> Result<Codec, UnknownEncoding> {
        let Encoding { format, major_version, minor_version } = encoding;
        let known =
            (format == EncodingFormat::CDR_ENCAPS).then_some((major_version, minor_version));
        let codec = known.and_then(|(major, minor)| Codec::for_version(major, minor));
        codec.ok_or(UnknownEncoding(encoding))
    }
}

/// Creates dynamic anys (`DynamicAny::DynAnyFactory`, CORBA 3.3 part 1, 13.2.2): the initial reference `DynAnyFactory`.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct DynAnyFactory;

impl DynAnyFactory {
    /// The factory, which has no state.
    pub fn new() -> Self {
        Self
    }

    /// The value of an any (`create_dyn_any`): [`DynAny::of`].
    ///
    /// # Errors
    /// Those of [`DynAny::of`].
    pub fn create_dyn_any(&self, value: Any) -> DynAnyResult<DynAny> {
        DynAny::of(value)
    }

    /// The default value of a type (`create_dyn_any_from_type_code`): [`DynAny::new`].
    ///
    /// # Errors
    /// Those of [`DynAny::new`].
    pub fn create_dyn_any_from_type_code(&self, type_code: &TypeCode) -> DynAnyResult<DynAny> {
        DynAny::new(type_code)
    }
}
