//! Calls and values without generated code: their IDL is known at run time only.
//!
//! [`Request`] calls an object with types known at run time, [`DynamicServant`] serves one.
//! [`DynAny`] reads and builds values by their TypeCodes. [`Codec`] encodes and decodes anys, as
//! interceptors do for service contexts and tagged components.
//!
//! ```
//! use zorb_dynamic::DynAny;
//! use zorb_types::{TcKind, TypeCode};
//!
//! let person = TypeCode::structure(
//!     "IDL:Person:1.0",
//!     "Person",
//!     &[("name", TypeCode::string(0)), ("age", TypeCode::plain(TcKind::Long))],
//! )?;
//! let mut value = DynAny::new(&person)?;
//! value.as_struct()?.member("name")?.insert::<String>("Ada")?;
//! value.as_struct()?.member("age")?.insert::<i32>(&36)?;
//!
//! let any = value.to_any()?;
//! let mut again = DynAny::of(any)?;
//! assert_eq!(again.as_struct()?.member("age")?.get::<i32>()?, 36);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod codec;
mod dyn_any;
mod factories;
#[cfg(feature = "json")]
pub mod json;
mod named_value;
pub mod repository;
mod request;
mod server_request;

pub use codec::{Codec, CodecError};
pub use dyn_any::{
    DynAny, DynAnyError, DynAnyResult, DynArray, DynEnum, DynFixed, DynSequence, DynStruct,
    DynUnion, DynValue, DynValueBox,
};
pub use factories::{CodecFactory, DynAnyFactory, Encoding, EncodingFormat, UnknownEncoding};
pub use named_value::{Mode, NamedValue};
pub use request::{Request, RequestError, Response, UnknownUserException, UntypedReply};
pub use server_request::{Dynamic, DynamicServant, ServerRequest};
