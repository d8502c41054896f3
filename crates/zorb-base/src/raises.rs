//! The exceptions that operations raise.

use std::fmt::Debug;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter, Context, Wire};
use zorb_types::SystemException;

/// Any error, as a `Box<dyn Error>` that threads can pass on.
pub type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// A user exception: an IDL `exception`. It is sent as its repository id and its members.
pub trait UserException: Wire<Value = Self, View = Self> + std::error::Error + Sized {
    /// The exception's repository id.
    const REPOSITORY_ID: &'static str;
}

/// A user exception whose type is erased.
pub trait AnyUserException {
    /// The exception's repository id.
    fn repository_id(&self) -> &'static str;

    /// Writes the members.
    ///
    /// # Errors
    /// A member has no encoding.
    fn write_members(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()>;

    /// See [`Wire::passes_as_is`].
    fn passes_as_is(&self, context: &Context) -> bool;
}

impl dyn AnyUserException + '_ {
    /// Writes the repository id and the members.
    ///
    /// # Errors
    /// A member has no encoding.
    pub fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_latin1(self.repository_id())?;
        self.write_members(writer)
    }
}

impl<E: UserException> AnyUserException for E {
    fn repository_id(&self) -> &'static str {
        E::REPOSITORY_ID
    }

    fn write_members(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        <E as Wire>::write(self, writer)
    }

    fn passes_as_is(&self, context: &Context) -> bool {
        <E as Wire>::passes_as_is(self, context)
    }
}

/// The error of an operation: the user exceptions of its `raises` clause, and system exceptions.
///
/// Generated code implements it for the operation's error enum. [`SystemException`] itself is the error of
/// operations without a `raises` clause.
pub trait Raises:
    From<SystemException> + std::error::Error + Debug + Sized + Send + Sync + 'static
{
    /// The error with a system exception.
    fn from_system(exception: SystemException) -> Self;

    /// The error with a user exception of the `raises` clause.
    ///
    /// # Errors
    /// The exception itself, if the clause does not list it.
    fn from_user(exception: AnyError) -> Result<Self, AnyError> {
        Err(exception)
    }

    /// The exception, as a value of its own type.
    fn into_user(self) -> AnyError {
        Box::new(self)
    }

    /// Reads the members of the user exception named `id`; `None` if the `raises` clause does not list it.
    ///
    /// # Errors
    /// The octets do not encode the exception.
    fn read(id: &str, reader: &mut CdrReader<'_>) -> CdrResult<Option<Self>> {
        let _ = (id, reader);
        Ok(None)
    }

    /// The user exception.
    ///
    /// # Errors
    /// The system exception, if it is one.
    fn user(&self) -> Result<&dyn AnyUserException, &SystemException>;

    /// The system exception.
    ///
    /// # Errors
    /// The error itself, if it is a user exception.
    fn into_system(self) -> Result<SystemException, Self>;

    /// The system exception, if it is one.
    fn system(&self) -> Option<&SystemException> {
        self.user().err()
    }

    /// The repository id of the exception.
    fn repository_id(&self) -> &'static str {
        match self.user() {
            Ok(exception) => exception.repository_id(),
            Err(exception) => exception.repository_id(),
        }
    }
}

impl Raises for SystemException {
    fn from_system(exception: SystemException) -> Self {
        exception
    }

    fn user(&self) -> Result<&dyn AnyUserException, &SystemException> {
        Err(self)
    }

    fn into_system(self) -> Result<SystemException, Self> {
        Ok(self)
    }
}
