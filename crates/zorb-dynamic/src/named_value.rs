//! Parameters of operations known at run time: `NamedValue` and `NVList`.

use zorb_types::{Any, TypeCode};

/// The direction of a parameter: the flags `ARG_IN`, `ARG_OUT` and `ARG_INOUT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// From client to server.
    In,
    /// From server to client.
    Out,
    /// Both ways.
    InOut,
}

impl Mode {
    /// Whether the value is part of the request.
    pub const fn is_sent(self) -> bool {
        matches!(self, Self::In | Self::InOut)
    }

    /// Whether the value is part of the reply.
    pub const fn is_returned(self) -> bool {
        matches!(self, Self::Out | Self::InOut)
    }

    /// The IDL keyword: `in`, `out` or `inout`.
    pub const fn idl_name(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
            Self::InOut => "inout",
        }
    }
}

/// A parameter with its value: `CORBA::NamedValue`. A list of them is an `NVList`.
#[derive(Clone, Debug)]
#[doc(alias = "NVList")]
pub struct NamedValue {
    /// The parameter's name, which is not sent and may be empty.
    pub name: String,
    /// Its direction.
    pub mode: Mode,
    /// Its type, as the operation declares it.
    pub type_code: TypeCode,
    /// Its value; `None` if it is not known yet.
    pub value: Option<Any>,
}

impl NamedValue {
    /// An `in` or `inout` parameter of the value's type.
    pub fn new(name: impl Into<String>, mode: Mode, value: Any) -> Self {
        let type_code = value.type_code().clone();
        Self { name: name.into(), mode, type_code, value: Some(value) }
    }

    /// A parameter without a value yet: an `out` parameter of a request, or any parameter of a received
    /// request.
    pub fn typed(name: impl Into<String>, mode: Mode, type_code: TypeCode) -> Self {
        Self { name: name.into(), mode, type_code, value: None }
    }
}
