//! Repository ids: the global names of IDL definitions (CORBA 3.3 part 1, 14.7).

#[cfg(test)]
mod tests;

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use core::fmt;

/// The format of a repository id, which is its part before the first colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RepositoryIdFormat {
    /// `IDL:` scoped name with slashes `:` major `.` minor.
    Idl,
    /// `RMI:` class `:` hash, and `:` serial version id if that differs.
    Rmi,
    /// `DCE:` UUID `:` minor version.
    Dce,
    /// `LOCAL:` anything; valid in one repository only.
    Local,
}

/// The globally unique name of an IDL definition: `IDL:omg.org/CORBA/Object:1.0`.
///
/// Ids compare as a whole and are case-sensitive. A received id may have any format, so received ids are
/// strings; this type is for ids from programs and people.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepositoryId(Cow<'static, str>);

/// The rule that a string violates, so that it is not a repository id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadRepositoryId {
    /// It begins with none of `IDL:`, `RMI:`, `DCE:`, `LOCAL:`.
    UnknownFormat,
    /// The scoped name of an `IDL:` id is empty, or has an empty part or an invalid character.
    BadName,
    /// The version is missing or not two numbers of 16 bits.
    BadVersion,
    /// The hash of an `RMI:` id is not 16 hexadecimal digits, or the UUID of a `DCE:` id malformed.
    BadNumber,
}

impl RepositoryId {
    /// The id of `CORBA::Object`, the base of all interfaces.
    pub const OBJECT: Self = Self(Cow::Borrowed("IDL:omg.org/CORBA/Object:1.0"));
    /// The id of `CORBA::ValueBase`, the base of all valuetypes.
    pub const VALUE_BASE: Self = Self(Cow::Borrowed("IDL:omg.org/CORBA/ValueBase:1.0"));
    /// The id of `CORBA::AbstractBase`, the base of all abstract interfaces.
    pub const ABSTRACT_BASE: Self = Self(Cow::Borrowed("IDL:omg.org/CORBA/AbstractBase:1.0"));
    /// The id of `CORBA::LocalObject`, the base of all local interfaces.
    pub const LOCAL_OBJECT: Self = Self(Cow::Borrowed("IDL:omg.org/CORBA/LocalObject:1.0"));

    /// An id that is known to be well-formed, as in generated code. It is not checked.
    pub const fn from_static(id: &'static str) -> Self {
        Self(Cow::Borrowed(id))
    }

    /// Parses an id.
    ///
    /// # Errors
    /// When the string follows none of the four formats.
    pub fn parse(id: &str) -> Result<Self, BadRepositoryId> {
        Self::check(id).map(|_| Self(Cow::Owned(id.to_string())))
    }

    /// Checks an id and returns its format.
    ///
    /// # Errors
    /// When the string follows none of the four formats.
    pub fn check(id: &str) -> Result<RepositoryIdFormat, BadRepositoryId> {
        let (format, rest) = id.split_once(':').ok_or(BadRepositoryId::UnknownFormat)?;
        match format {
            "IDL" => check_idl(rest).map(|()| RepositoryIdFormat::Idl),
            "RMI" => check_rmi(rest).map(|()| RepositoryIdFormat::Rmi),
            "DCE" => check_dce(rest).map(|()| RepositoryIdFormat::Dce),
            "LOCAL" => Ok(RepositoryIdFormat::Local),
            _ => Err(BadRepositoryId::UnknownFormat),
        }
    }

    /// The whole id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The format of the id; `None` for an unchecked id that is malformed.
    pub fn format(&self) -> Option<RepositoryIdFormat> {
        Self::check(&self.0).ok()
    }

    /// The scoped name of an `IDL:` id: `omg.org/CORBA/Object`.
    pub fn scoped_name(&self) -> Option<&str> {
        idl_parts(&self.0).map(|(name, _)| name)
    }

    /// The last part of the name of an `IDL:` id: `Object`.
    pub fn simple_name(&self) -> Option<&str> {
        self.scoped_name().and_then(|name| name.rsplit('/').next())
    }

    /// Major and minor version of an `IDL:` id.
    pub fn version(&self) -> Option<(u16, u16)> {
        idl_parts(&self.0).and_then(|(_, version)| parse_version(version))
    }
}

/// Name and version of an `IDL:` id.
fn idl_parts(id: &str) -> Option<(&str, &str)> {
    id.strip_prefix("IDL:")?.rsplit_once(':')
}

fn parse_version(version: &str) -> Option<(u16, u16)> {
    let (major, minor) = version.split_once('.')?;
    let digits = |number: &str| number.bytes().all(|octet| octet.is_ascii_digit());
    if !digits(major) || !digits(minor) {
        return None;
    }
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn check_idl(rest: &str) -> Result<(), BadRepositoryId> {
    let (name, version) = rest.rsplit_once(':').ok_or(BadRepositoryId::BadVersion)?;
    let allowed = |octet: u8| octet.is_ascii_alphanumeric() || matches!(octet, b'_' | b'-' | b'.');
    if name.split('/').any(|part| part.is_empty() || !part.bytes().all(allowed)) {
        return Err(BadRepositoryId::BadName);
    }
    parse_version(version).map(|_| ()).ok_or(BadRepositoryId::BadVersion)
}

fn check_rmi(rest: &str) -> Result<(), BadRepositoryId> {
    let mut parts = rest.split(':');
    if parts.next().is_none_or(str::is_empty) {
        return Err(BadRepositoryId::BadName);
    }
    let number = |part: &str| part.len() == 16 && part.bytes().all(|o| o.is_ascii_hexdigit());
    let hash = parts.next().is_some_and(number);
    let serial = parts.next().is_none_or(number);
    if hash && serial && parts.next().is_none() { Ok(()) } else { Err(BadRepositoryId::BadNumber) }
}

fn check_dce(rest: &str) -> Result<(), BadRepositoryId> {
    const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];
    let (uuid, minor) = rest.split_once(':').ok_or(BadRepositoryId::BadVersion)?;
    let mut groups = uuid.split('-');
    let well_formed = GROUPS.iter().all(|&length| {
        groups.next().is_some_and(|group| {
            group.len() == length && group.bytes().all(|octet| octet.is_ascii_hexdigit())
        })
    });
    if !well_formed || groups.next().is_some() {
        return Err(BadRepositoryId::BadNumber);
    }
    if minor.is_empty() || !minor.bytes().all(|octet| octet.is_ascii_digit()) {
        return Err(BadRepositoryId::BadVersion);
    }
    Ok(())
}

impl fmt::Display for RepositoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for RepositoryId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl core::str::FromStr for RepositoryId {
    type Err = BadRepositoryId;

    fn from_str(id: &str) -> Result<Self, BadRepositoryId> {
        Self::parse(id)
    }
}

impl From<RepositoryId> for String {
    fn from(id: RepositoryId) -> Self {
        id.0.into_owned()
    }
}

impl BadRepositoryId {
    /// A short description.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::UnknownFormat => "a repository id begins with IDL:, RMI:, DCE: or LOCAL:",
            Self::BadName => "the name is empty, or has an empty part or an invalid character",
            Self::BadVersion => "the version is missing or malformed",
            Self::BadNumber => "the hash, serial version or UUID is malformed",
        }
    }
}

impl fmt::Display for BadRepositoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.describe())
    }
}

impl core::error::Error for BadRepositoryId {}
