//! Interfaces and servants.

use zorb_types::Operations;

use crate::{Reader, SystemException, Text, Writer};

/// The repository id that every object has.
pub(crate) const OBJECT: &str = "IDL:omg.org/CORBA/Object:1.0";

/// The description of an IDL interface for a server.
#[derive(Clone, Copy)]
pub struct Interface {
    /// Its repository id, then those of the interfaces that it inherits from.
    pub ids: &'static [&'static str],
    /// Its operations, those that it inherits included.
    pub operations: &'static (dyn Lookup + Sync),
}

impl Interface {
    /// The repository id.
    pub fn id(&self) -> &'static str {
        self.ids.first().copied().unwrap_or(OBJECT)
    }

    /// Whether an object of this interface has the interface `id`, too.
    pub fn is_a(&self, id: &str) -> bool {
        id == OBJECT || self.ids.contains(&id)
    }

    /// [`is_a`](Self::is_a) for an id as it is received.
    pub(crate) fn is_a_text(&self, id: Text<'_>) -> bool {
        id == *OBJECT || self.ids.iter().any(|known| id == **known)
    }
}

impl core::fmt::Debug for Interface {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Interface").field("ids", &self.ids).finish_non_exhaustive()
    }
}

/// Whether `octets` are `text` in ISO 8859-1.
fn is_latin1(text: &str, octets: &[u8]) -> bool {
    text.chars().eq(octets.iter().map(|octet| char::from(*octet)))
}

/// How a server finds an operation by its name.
pub trait Lookup {
    /// The index of the operation `name`, which is as it is received, in ISO 8859-1.
    fn find(&self, name: &[u8]) -> Option<usize>;
}

/// One hash and one comparison: the fastest for many operations, in 8 octets more for each of them. The names are ASCII,
/// as those of IDL are.
///
/// ```
/// use zorb_nano::{Lookup, Operations};
///
/// static NODE: Operations<2> = Operations::new(&["value", "improve"]);
/// assert_eq!(Lookup::find(&NODE, b"improve"), Some(1));
/// assert_eq!(Lookup::find(&NODE, b"improv"), None);
/// ```
impl<const N: usize> Lookup for Operations<N> {
    fn find(&self, name: &[u8]) -> Option<usize> {
        Self::find(self, name)
    }
}

/// Compares the name with one after the other: the smallest for a few operations. The index is that in the list.
///
/// ```
/// use zorb_nano::{Linear, Lookup};
///
/// let operations = Linear(&["value", "improve"]);
/// assert_eq!(operations.find(b"improve"), Some(1));
/// assert_eq!(operations.find(b"improv"), None);
/// assert_eq!(Linear(&["größe"]).find(b"gr\xf6\xdfe"), Some(0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Linear(pub &'static [&'static str]);

impl Lookup for Linear {
    fn find(&self, name: &[u8]) -> Option<usize> {
        self.0.iter().position(|known| is_latin1(known, name))
    }
}

/// An object's implementation. It is [registered](crate::Server::register) at start, and lives as long as the server.
pub trait Servant {
    /// The interface, which determines the indexes of operations.
    fn interface(&self) -> &'static Interface;

    /// Executes an operation: reads its arguments, does what it has to, and writes the result, then the `out` and `inout`
    /// arguments, or an exception. A one-way operation writes nothing.
    ///
    /// # Errors
    /// The system exception to reply with; `?` passes those of [`Reader`] and [`Writer`] on.
    fn invoke(
        &mut self,
        operation: usize,
        arguments: &mut Reader<'_>,
        results: &mut Writer<'_>,
    ) -> Result<Answer, SystemException>;
}

/// What a servant has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The results.
    Results,
    /// A user exception: its repository id as a `string`, then its members.
    UserException,
}
