//! What an operation may raise.

use std::fmt::Debug;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter, Context, Wire};
use zorb_types::SystemException;

/// Any error, as `Box<dyn Error>` that may go to another thread.
pub type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// A user exception: an IDL `exception`, encoded as its repository id and members.
pub trait UserException: Wire<Value = Self, View = Self> + std::error::Error + Sized {
    /// The exception's repository id.
    const REPOSITORY_ID: &'static str;
}

/// The errors of one operation: the exceptions of its `raises` clause, and system exceptions.
///
/// Generated code implements it for the operation's error enum. [`SystemException`] itself is the
/// error of operations without a `raises` clause.
pub trait Raises:
    From<SystemException> + std::error::Error + Debug + Sized + Send + Sync + 'static
{
    /// The failure of the operation by a system exception.
    fn from_system(exception: SystemException) -> Self;

    /// The failure of the operation by a user exception.
    ///
    /// # Errors
    /// The exception itself, if it is not in the list.
    fn from_user(exception: AnyError) -> Result<Self, AnyError> {
        Err(exception)
    }

    /// The user exception, if it is one; as a value of its own type, for [`from_user`](Self::from_user).
    fn into_user(self) -> AnyError {
        Box::new(self)
    }

    /// Takes the members of the user exception named `id`; `None` when it is not in the list.
    ///
    /// # Errors
    /// When the octets are no encoding of that exception.
    fn read(id: &str, reader: &mut CdrReader<'_>) -> CdrResult<Option<Self>>;

    /// Whether the failure may be handed over inside a process as it is: see
    /// [`Wire::passes_as_is`]. System exceptions may.
    fn passes_as_is(&self, context: &Context) -> bool {
        let _ = context;
        self.system().is_some()
    }

    /// The system exception, if this is one.
    fn system(&self) -> Option<&SystemException>;

    /// Takes the system exception out.
    ///
    /// # Errors
    /// The value itself, if it is a user exception.
    fn into_system(self) -> Result<SystemException, Self>;

    /// The repository id of the user exception; empty for a system exception.
    fn repository_id(&self) -> &'static str;

    /// Appends the user exception: its repository id, then its members.
    ///
    /// # Errors
    /// When a member has no encoding.
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()>;
}

impl Raises for SystemException {
    fn from_system(exception: SystemException) -> Self {
        exception
    }

    fn read(_: &str, _: &mut CdrReader<'_>) -> CdrResult<Option<Self>> {
        Ok(None)
    }

    fn system(&self) -> Option<&SystemException> {
        Some(self)
    }

    fn into_system(self) -> Result<SystemException, Self> {
        Ok(self)
    }

    fn repository_id(&self) -> &'static str {
        ""
    }

    fn write(&self, _: &mut CdrWriter<'_>) -> CdrResult<()> {
        Ok(())
    }
}
