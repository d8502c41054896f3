//! A repository as octets, for a file.

use std::fmt;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, TextCoding, Wire};
use zorb_types::{Any, TypeCode};

use super::{
    AttributeDescription, EntryKind, OperationDescription, ParameterDescription, Repository,
};
use crate::Mode;

/// What a file of a repository begins with; the last octet is the version of the format.
const MAGIC: &[u8; 8] = b"ZORBIFR\x01";

/// Octets that are no repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreError(zorb_cdr::CdrError);

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this is no stored interface repository: {}", self.0)
    }
}

impl std::error::Error for StoreError {}

impl Repository {
    /// The repository as octets. They are the same on every machine.
    ///
    /// # Errors
    /// When a definition has no encoding, as one with a NUL in its name.
    pub fn to_octets(&self) -> Result<Vec<u8>, StoreError> {
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big).with_text(text());
        writer.put(MAGIC);
        self.write(&mut writer).map_err(StoreError)?;
        Ok(octets)
    }

    /// A repository from its octets.
    ///
    /// # Errors
    /// When they are none.
    pub fn from_octets(octets: &[u8]) -> Result<Self, StoreError> {
        let mut reader = CdrReader::new(octets, ByteOrder::Big).with_text(text());
        Self::read(&mut reader).map_err(StoreError)
    }

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        let entries = self.entries.get(1..).unwrap_or_default();
        writer.write_count(entries.len(), "repository")?;
        for entry in entries {
            writer.write_u32(entry.container.0);
            String::write(&entry.id, writer)?;
            String::write(&entry.name, writer)?;
            write_kind(&entry.kind, writer)?;
        }
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        if reader.take(MAGIC.len(), "repository")? != MAGIC {
            return Err(reader.error(CdrErrorKind::Unsupported, "repository"));
        }
        let mut repository = Self::new();
        for _ in 0..reader.read_count(16, "repository")? {
            // A definition comes after what it is defined in.
            let container = reader.read_u32()?;
            let container = repository
                .at(container as usize)
                .ok_or_else(|| reader.error(CdrErrorKind::BadReference, "container"))?;
            let id = String::read(reader)?;
            let name = String::read(reader)?;
            let mut kind = read_kind(reader)?;
            match &mut kind {
                EntryKind::Operation(operation) => {
                    operation.id.clone_from(&id);
                    operation.name.clone_from(&name);
                }
                EntryKind::Attribute(attribute) => {
                    attribute.id.clone_from(&id);
                    attribute.name.clone_from(&name);
                }
                _ => {}
            }
            let count = repository.entries.len();
            repository.add(container, &id, &name, kind);
            if repository.entries.len() == count {
                return Err(reader.error(CdrErrorKind::BadReference, "repository id"));
            }
        }
        Ok(repository)
    }
}

const fn text() -> TextCoding {
    TextCoding { char_set: zorb_cdr::CharSet::Utf8, ..TextCoding::ENCAPSULATION }
}

fn write_kind(kind: &EntryKind, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    let mut named = |tag: u8, type_code: &TypeCode, bases: &Vec<String>| {
        writer.write_u8(tag);
        TypeCode::write(type_code, writer)?;
        Vec::<String>::write(bases, writer)
    };
    match kind {
        EntryKind::Repository => writer.write_u8(0),
        EntryKind::Module => writer.write_u8(1),
        EntryKind::Interface { type_code, bases } => named(2, type_code, bases)?,
        EntryKind::Value { type_code, bases } => named(3, type_code, bases)?,
        EntryKind::Type(type_code) => named(4, type_code, &Vec::new())?,
        EntryKind::Exception(type_code) => named(5, type_code, &Vec::new())?,
        EntryKind::Constant(value) => {
            writer.write_u8(6);
            Any::write(value, writer)?;
        }
        EntryKind::Operation(operation) => {
            writer.write_u8(7);
            String::write(&operation.defined_in, writer)?;
            writer.write_bool(operation.oneway);
            TypeCode::write(&operation.result, writer)?;
            writer.write_count(operation.parameters.len(), "parameters")?;
            for parameter in &operation.parameters {
                String::write(&parameter.name, writer)?;
                writer.write_u8(parameter.mode as u8);
                TypeCode::write(&parameter.type_code, writer)?;
            }
            Vec::<TypeCode>::write(&operation.exceptions, writer)?;
            Vec::<String>::write(&operation.contexts, writer)?;
        }
        EntryKind::Attribute(attribute) => {
            writer.write_u8(8);
            String::write(&attribute.defined_in, writer)?;
            writer.write_bool(attribute.readonly);
            TypeCode::write(&attribute.type_code, writer)?;
            Vec::<TypeCode>::write(&attribute.get_exceptions, writer)?;
            Vec::<TypeCode>::write(&attribute.set_exceptions, writer)?;
        }
    }
    Ok(())
}

fn read_kind(reader: &mut CdrReader<'_>) -> CdrResult<EntryKind> {
    let tag = reader.read_u8()?;
    Ok(match tag {
        1 => EntryKind::Module,
        2..=5 => {
            let type_code = TypeCode::read(reader)?;
            let bases = Vec::<String>::read(reader)?;
            match tag {
                2 => EntryKind::Interface { type_code, bases },
                3 => EntryKind::Value { type_code, bases },
                4 => EntryKind::Type(type_code),
                _ => EntryKind::Exception(type_code),
            }
        }
        6 => EntryKind::Constant(Any::read(reader)?),
        7 => {
            let mut operation = OperationDescription {
                defined_in: String::read(reader)?,
                oneway: reader.read_bool()?,
                result: TypeCode::read(reader)?,
                ..OperationDescription::default()
            };
            for _ in 0..reader.read_count(10, "parameters")? {
                let name = String::read(reader)?;
                let mode = match reader.read_u8()? {
                    0 => Mode::In,
                    1 => Mode::Out,
                    2 => Mode::InOut,
                    _ => return Err(reader.error(CdrErrorKind::BadEnum, "mode")),
                };
                let type_code = TypeCode::read(reader)?;
                operation.parameters.push(ParameterDescription { name, mode, type_code });
            }
            operation.exceptions = Vec::<TypeCode>::read(reader)?;
            operation.contexts = Vec::<String>::read(reader)?;
            EntryKind::Operation(operation)
        }
        8 => EntryKind::Attribute(AttributeDescription {
            defined_in: String::read(reader)?,
            readonly: reader.read_bool()?,
            type_code: TypeCode::read(reader)?,
            get_exceptions: Vec::<TypeCode>::read(reader)?,
            set_exceptions: Vec::<TypeCode>::read(reader)?,
            ..AttributeDescription::default()
        }),
        _ => return Err(reader.error(CdrErrorKind::BadEnum, "definition")),
    })
}
