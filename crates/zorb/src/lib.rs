//! Zorb: a CORBA object request broker.
//!
//! This is the crate that programs depend on; it re-exports what they need and registers the
//! [protocols] of the build (IIOP, UIOP, SHMIOP and GIOPlite, and with the features `tls` and `udp` SSLIOP
//! and DIOP). The stubs and servant traits come from IDL, compiled in a
//! build script by `zorb-build` and brought in with [`include_idl!`].
//!
//! ```no_run
//! // What build.rs makes of `interface Greeter { string say_hello(in string name); };`
//! # mod hello {
//! #     #[derive(Clone)] pub struct Greeter(zorb::ObjectRef);
//! #     impl zorb::Interface for Greeter {
//! #         const REPOSITORY_ID: &'static str = "IDL:Hello/Greeter:1.0";
//! #         const NAME: &'static str = "Greeter";
//! #         const TYPE_IDS: &'static [&'static str] = &["IDL:Hello/Greeter:1.0"];
//! #         fn from_object(object: zorb::ObjectRef) -> Self { Self(object) }
//! #         fn as_object(&self) -> &zorb::ObjectRef { &self.0 }
//! #     }
//! #     impl Greeter {
//! #         pub fn say_hello(&self, name: &str) -> zorb::Result<String> {
//! #             zorb::codegen::invoke!(self, "say_hello", [String => name], [String])
//! #         }
//! #     }
//! # }
//! fn main() -> Result<(), zorb::Error> {
//!     let orb = zorb::Orb::new()?;
//!     let greeter: hello::Greeter = orb.resolve("corbaloc::127.0.0.1:2809/greeter")?;
//!     println!("{}", greeter.say_hello("Rust")?);
//!     Ok(())
//! }
//! ```
#![forbid(unsafe_code)]

mod orb;
pub mod protocols;

pub use orb::{Orb, OrbBuilder};
pub use zorb_cdr::{
    Bounded, CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Octets, WChar, WString, Wire,
};
pub use zorb_core::{
    Abstract, AbstractOperations, BufferStrategy, Caller, CollocationStrategy, Context,
    CustomMarshal, Error, Interface, Loan, LoanedOctets, Native, ObjectRef, Phase, Raises, Ref,
    Result, ServedBy, UserException, Value, ValueBase, ValueOperations, WithOperations,
};
pub use zorb_types::{
    Any, CompletionStatus, Fixed, FixedError, FixedValue, LongDouble, MinorCode, RepositoryId,
    SystemException, SystemExceptionKind, TcKind, TypeCode, TypeCodeError, Typed, UnionCase,
    ValueMember, ValueModifier, Visibility, minor,
};

pub use zorb_core::{options, poa, policy, value};

#[doc(hidden)]
pub use zorb_core::codegen;

/// Writing protocols of one's own.
pub mod transport {
    pub use zorb_transport::*;
}

/// Real-time CORBA: priorities, thread pools, and their options.
#[cfg(feature = "rt")]
pub mod rt {
    pub use zorb_rt::*;
}

/// TLS: certificates, who is let in, and SSLIOP set up by the program.
#[cfg(feature = "tls")]
pub mod tls {
    pub use zorb_tls::*;
}

/// Values whose types are known at run time: DynAny, and the codec of interceptors.
pub mod dynamic {
    pub use zorb_dynamic::*;
}

/// Values as octets, for protocols and tools.
pub mod cdr {
    pub use zorb_cdr::*;
}

/// The parts of references and messages, for protocols and tools.
pub mod giop {
    pub use zorb_giop::*;
}

/// Brings in what the build script made of an IDL file: `include_idl!("hello")` for
/// `zorb_build::compile("idl/hello.idl")`.
#[macro_export]
macro_rules! include_idl {
    ($stem:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $stem, ".rs"));
    };
}
