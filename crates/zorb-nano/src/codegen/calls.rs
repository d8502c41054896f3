//! The code that the macros share: the outcome of a call, and user exceptions.

use crate::{Answer, Reader, Reply, Result, SystemException, Text, Writer};

/// A user exception.
pub trait UserException: crate::Plain {
    /// Its repository id.
    const ID: &'static str;
}

/// The errors of an operation: a system exception, or a user exception that it may raise.
pub trait Raises: From<SystemException> {
    /// Reads the members of the user exception `id`.
    fn read(id: Text<'_>, members: &mut Reader<'_>) -> Result<Self>;

    /// Writes the user exception; a system exception is returned.
    fn write(self, results: &mut Writer<'_>) -> Result<Answer>;
}

/// An operation without user exceptions.
impl Raises for SystemException {
    fn read(_: Text<'_>, _: &mut Reader<'_>) -> Result<Self> {
        Err(Self::UNLISTED)
    }

    fn write(self, _: &mut Writer<'_>) -> Result<Answer> {
        Err(self)
    }
}

/// The results of a call, or its exception.
///
/// # Errors
/// The exception.
pub fn outcome<'c, T, E: Raises>(
    mut reply: Reply<'c>,
    read: impl FnOnce(&mut Reader<'c>) -> Result<T>,
) -> Result<T, E> {
    if let Some(exception) = reply.exception() {
        return Err(raised(exception)?);
    }
    let results = reply.results()?;
    let values = read(results)?;
    results.end()?;
    Ok(values)
}

#[cold]
fn raised<E: Raises>(exception: &mut Reader<'_>) -> Result<E> {
    let id = exception.read_text(crate::UNBOUNDED)?;
    let error = E::read(id, exception)?;
    exception.end()?;
    Ok(error)
}

/// Writes a user exception.
///
/// # Errors
/// As [`Writer::write`].
pub fn raise<E: UserException>(exception: &E, results: &mut Writer<'_>) -> Result<Answer> {
    results.write_str(E::ID)?;
    exception.write(results)?;
    Ok(Answer::UserException)
}

/// Reads the value of an enum.
///
/// # Errors
/// `MARSHAL` for a number that is none of its values.
pub fn enumerator<T: Copy, const N: usize>(values: &[T; N], reader: &mut Reader<'_>) -> Result<T> {
    let ordinal = reader.read_ordinal(N)?;
    values.get(ordinal).copied().ok_or(SystemException::UNLISTED)
}
