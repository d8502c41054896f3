//! Resolving the name of a `corbaname:` URL with the naming service.
//!
//! This is a stub of one operation, `CosNaming::NamingContext::resolve`. The crate `zorb-naming` contains the full
//! service.

use zorb_base::error::Error;
use zorb_cdr::Wire;
use zorb_giop::{StringName, StringNameError};
use zorb_invocation::interface::Ref;
use zorb_invocation::object::ObjectRef;

mod raised {
    //! The user exceptions of `resolve`.

    use std::fmt;

    use zorb_cdr::{CdrReader, CdrResult, CdrWriter, Context};
    use zorb_types::SystemException;

    use zorb_base::raises::{AnyUserException, Raises};

    /// The error of `resolve`.
    #[derive(Debug)]
    pub(super) enum ResolveError {
        NotFound,
        CannotProceed,
        InvalidName,
        System(SystemException),
    }

    const NOT_FOUND: &str = "IDL:omg.org/CosNaming/NamingContext/NotFound:1.0";
    const CANNOT_PROCEED: &str = "IDL:omg.org/CosNaming/NamingContext/CannotProceed:1.0";
    const INVALID_NAME: &str = "IDL:omg.org/CosNaming/NamingContext/InvalidName:1.0";

    impl From<SystemException> for ResolveError {
        fn from(exception: SystemException) -> Self {
            Self::System(exception)
        }
    }

    impl fmt::Display for ResolveError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                Self::NotFound => f.write_str("the naming service does not know the name"),
                Self::CannotProceed => {
                    f.write_str("the naming service cannot resolve the name further")
                }
                Self::InvalidName => {
                    f.write_str("the naming service rejects the name as malformed")
                }
                Self::System(exception) => exception.fmt(f),
            }
        }
    }

    impl std::error::Error for ResolveError {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            match self {
                Self::System(exception) => exception.source(),
                _ => None,
            }
        }
    }

    impl Raises for ResolveError {
        fn from_system(exception: SystemException) -> Self {
            Self::System(exception)
        }

        // The members contain nothing that the URL does not; they are skipped.
        fn read(id: &str, reader: &mut CdrReader<'_>) -> CdrResult<Option<Self>> {
            let raised = match id {
                NOT_FOUND => Self::NotFound,
                CANNOT_PROCEED => Self::CannotProceed,
                INVALID_NAME => Self::InvalidName,
                _ => return Ok(None),
            };
            reader.take(reader.rest().len(), "exception")?;
            Ok(Some(raised))
        }

        fn user(&self) -> Result<&dyn AnyUserException, &SystemException> {
            match self {
                Self::System(exception) => Err(exception),
                refused => Ok(refused),
            }
        }

        fn into_system(self) -> Result<SystemException, Self> {
            match self {
                Self::System(exception) => Ok(exception),
                refused => Err(refused),
            }
        }
    }

    impl AnyUserException for ResolveError {
        fn repository_id(&self) -> &'static str {
            match self {
                Self::NotFound => NOT_FOUND,
                Self::CannotProceed => CANNOT_PROCEED,
                Self::InvalidName => INVALID_NAME,
                Self::System(exception) => exception.repository_id(),
            }
        }

        fn write_members(&self, _: &mut CdrWriter<'_>) -> CdrResult<()> {
            Ok(())
        }

        fn passes_as_is(&self, _: &Context) -> bool {
            true
        }
    }
}

use raised::ResolveError;

/// The error of resolving the name of a `corbaname:` URL.
pub(crate) struct Unresolved(Cause);

enum Cause {
    Malformed(StringNameError),
    Refused(ResolveError),
}

impl Unresolved {
    /// Adds this to `error` as its source; a system exception keeps its own context instead.
    pub(crate) fn into_source_of(self, error: Error) -> Error {
        match self.0 {
            Cause::Malformed(reason) => error.with_source(reason),
            Cause::Refused(ResolveError::System(exception)) => exception.into(),
            Cause::Refused(refused) => {
                error.with_source(refused).with_hint("list the naming context to see its bindings")
            }
        }
    }
}

/// Resolves `name` (in the string form of CosNaming) in `context`; an empty name identifies the context itself.
pub(crate) fn resolve(context: &ObjectRef, name: &str) -> Result<Option<ObjectRef>, Unresolved> {
    if name.is_empty() {
        return Ok(Some(context.clone()));
    }
    let name: StringName = name.parse().map_err(|error| Unresolved(Cause::Malformed(error)))?;
    context
        .invoke(
            "resolve",
            |writer| {
                writer.write_count(name.components.len(), "Name")?;
                name.components.iter().try_for_each(|component| {
                    String::write(&component.id, writer)?;
                    String::write(&component.kind, writer)
                })
            },
            Ref::<ObjectRef>::read,
        )
        .map_err(|refused| Unresolved(Cause::Refused(refused)))
}
