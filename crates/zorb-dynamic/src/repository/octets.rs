//! The encoding of a repository, for files.

use std::fmt;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, TextCoding, Wire};
use zorb_types::{Any, TypeCode, Visibility};

use super::{
    AttributeDescription, EntryKind, InitializerDescription, OperationDescription,
    ParameterDescription, PortKind, Repository,
};
use crate::Mode;

/// The magic number of the encoding; the version of the format follows.
const MAGIC: &[u8; 7] = b"ZORBIFR";

/// The written version of the format.
const FORMAT: u8 = 3;

/// The oldest version that can be read, in which definitions have the versions of their ids.
const OLDEST: u8 = 2;

/// Octets that do not encode a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreError(zorb_cdr::CdrError);

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a stored interface repository: {}", self.0)
    }
}

impl std::error::Error for StoreError {}

impl Repository {
    /// Encodes the repository, in the same way on all machines.
    ///
    /// # Errors
    /// A definition cannot be encoded, for example with a NUL in its name.
    pub fn to_octets(&self) -> Result<Vec<u8>, StoreError> {
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big).with_text(text());
        writer.put(MAGIC);
        writer.write_u8(FORMAT);
        self.write(&mut writer).and_then(|()| writer.finish()).map_err(StoreError)?;
        Ok(octets)
    }

    /// Decodes a repository.
    ///
    /// # Errors
    /// The octets do not encode a repository.
    pub fn from_octets(octets: &[u8]) -> Result<Self, StoreError> {
        let mut reader = CdrReader::new(octets, ByteOrder::Big).with_text(text());
        Self::read(&mut reader).map_err(StoreError)
    }

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        // Definitions whose types have no members yet have no TypeCode, and are not stored.
        let mut numbers = vec![None; self.entries.len()];
        if let Some(root) = numbers.first_mut() {
            *root = Some(0);
        }
        let mut stored = Vec::new();
        for (entry_id, entry) in self.entries().skip(1) {
            let container = numbers.get(entry.container.index()).copied().flatten();
            if let Some(container) = container.filter(|_| entry.is_complete()) {
                stored.push((container, entry));
                numbers[entry_id.index()] = u32::try_from(stored.len()).ok();
            }
        }
        writer.write_count(stored.len(), "repository")?;
        for (container, entry) in stored {
            writer.write_u32(container);
            String::write(&entry.id, writer)?;
            String::write(&entry.name, writer)?;
            String::write(&entry.version, writer)?;
            write_kind(&entry.kind, writer)?;
        }
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let known = reader.take(MAGIC.len(), "repository")? == MAGIC;
        let format = reader.read_u8()?;
        if !known || !(OLDEST..=FORMAT).contains(&format) {
            return Err(reader.error(CdrErrorKind::Unsupported, "repository"));
        }
        let mut repository = Self::new();
        for _ in 0..reader.read_count(16, "repository")? {
            // A definition follows its container.
            let container = reader.read_u32()?;
            let container = repository
                .at(container as usize)
                .ok_or_else(|| reader.error(CdrErrorKind::BadReference, "container"))?;
            let id = String::read(reader)?;
            let name = String::read(reader)?;
            let version = if format > OLDEST { Some(String::read(reader)?) } else { None };
            let mut kind = read_kind(reader)?;
            match &mut kind {
                EntryKind::Operation(operation)
                | EntryKind::Factory(operation)
                | EntryKind::Finder(operation) => {
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
            let entry_id = repository.add(container, &id, &name, kind);
            if repository.entries.len() == count {
                return Err(reader.error(CdrErrorKind::BadReference, "repository id"));
            }
            if let Some(version) = version {
                repository.set_version(entry_id, &version);
            }
        }
        Ok(repository)
    }
}

const fn text() -> TextCoding {
    TextCoding { char_set: zorb_cdr::CharSet::Utf8, ..TextCoding::ENCAPSULATION }
}

impl EntryKind {
    /// A measure of the memory that it takes: the octets of its encoding or, with a type that is not complete yet, at least
    /// those of its names and types.
    #[must_use]
    pub fn octets(&self) -> usize {
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big).with_text(text());
        if write_kind(self, &mut writer).is_ok() {
            return octets.len();
        }
        // The encoding has ended at the type that is not complete; the text has the names behind it, too.
        let of_types = match self {
            Self::Type(own) | Self::Exception(own) | Self::Value { type_code: own, .. } => {
                own.octets()
            }
            _ => 0,
        };
        octets.len() + format!("{self:?}").len() + of_types
    }
}

fn write_kind(kind: &EntryKind, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    let mut tagged = |tag: u8, type_code: &TypeCode| {
        writer.write_u8(tag);
        TypeCode::write(type_code, writer)
    };
    match kind {
        EntryKind::Repository => writer.write_u8(0),
        EntryKind::Module => writer.write_u8(1),
        EntryKind::Interface { type_code, bases } => {
            tagged(2, type_code)?;
            Vec::<String>::write(bases, writer)?;
        }
        EntryKind::Value { type_code, bases, supports, initializers } => {
            tagged(3, type_code)?;
            Vec::<String>::write(bases, writer)?;
            Vec::<String>::write(supports, writer)?;
            writer.write_count(initializers.len(), "initializers")?;
            for initializer in initializers {
                String::write(&initializer.name, writer)?;
                write_parameters(&initializer.parameters, writer)?;
                Vec::<TypeCode>::write(&initializer.exceptions, writer)?;
            }
        }
        EntryKind::Type(type_code) => tagged(4, type_code)?,
        EntryKind::Exception(type_code) => tagged(5, type_code)?,
        EntryKind::Constant(value) => {
            writer.write_u8(6);
            Any::write(value, writer)?;
        }
        EntryKind::Operation(operation)
        | EntryKind::Factory(operation)
        | EntryKind::Finder(operation) => {
            let tag = match kind {
                EntryKind::Factory(_) => 13,
                EntryKind::Finder(_) => 14,
                _ => 7,
            };
            tagged(tag, &operation.result)?;
            String::write(&operation.defined_in, writer)?;
            writer.write_bool(operation.oneway);
            write_parameters(&operation.parameters, writer)?;
            Vec::<TypeCode>::write(&operation.exceptions, writer)?;
            Vec::<String>::write(&operation.contexts, writer)?;
        }
        EntryKind::Attribute(attribute) => {
            tagged(8, &attribute.type_code)?;
            String::write(&attribute.defined_in, writer)?;
            writer.write_bool(attribute.readonly);
            Vec::<TypeCode>::write(&attribute.get_exceptions, writer)?;
            Vec::<TypeCode>::write(&attribute.set_exceptions, writer)?;
        }
        EntryKind::ValueMember { type_code, visibility } => {
            tagged(9, type_code)?;
            writer.write_bool(*visibility == Visibility::Public);
        }
        EntryKind::Component { type_code, bases, base, supports } => {
            tagged(10, type_code)?;
            Vec::<String>::write(bases, writer)?;
            String::write(base, writer)?;
            Vec::<String>::write(supports, writer)?;
        }
        EntryKind::Home { type_code, bases, base, supports, manages, primary_key } => {
            tagged(11, type_code)?;
            Vec::<String>::write(bases, writer)?;
            String::write(base, writer)?;
            Vec::<String>::write(supports, writer)?;
            String::write(manages, writer)?;
            String::write(primary_key, writer)?;
        }
        EntryKind::Port { kind, target } => {
            writer.write_u8(12);
            writer.write_u8(*kind as u8);
            String::write(target, writer)?;
        }
    }
    Ok(())
}

fn write_parameters(
    parameters: &[ParameterDescription],
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    writer.write_count(parameters.len(), "parameters")?;
    for parameter in parameters {
        String::write(&parameter.name, writer)?;
        writer.write_u8(parameter.mode as u8);
        TypeCode::write(&parameter.type_code, writer)?;
    }
    Ok(())
}

fn read_kind(reader: &mut CdrReader<'_>) -> CdrResult<EntryKind> {
    Ok(match reader.read_u8()? {
        1 => EntryKind::Module,
        2 => EntryKind::Interface {
            type_code: TypeCode::read(reader)?,
            bases: Vec::<String>::read(reader)?,
        },
        3 => EntryKind::Value {
            type_code: TypeCode::read(reader)?,
            bases: Vec::<String>::read(reader)?,
            supports: Vec::<String>::read(reader)?,
            initializers: read_initializers(reader)?,
        },
        4 => EntryKind::Type(TypeCode::read(reader)?),
        5 => EntryKind::Exception(TypeCode::read(reader)?),
        6 => EntryKind::Constant(Any::read(reader)?),
        7 => EntryKind::Operation(read_operation(reader)?),
        8 => EntryKind::Attribute(AttributeDescription {
            type_code: TypeCode::read(reader)?,
            defined_in: String::read(reader)?,
            readonly: reader.read_bool()?,
            get_exceptions: Vec::<TypeCode>::read(reader)?,
            set_exceptions: Vec::<TypeCode>::read(reader)?,
            ..AttributeDescription::default()
        }),
        9 => EntryKind::ValueMember {
            type_code: TypeCode::read(reader)?,
            visibility: Visibility::from_number(reader.read_bool()?.into()),
        },
        10 => EntryKind::Component {
            type_code: TypeCode::read(reader)?,
            bases: Vec::<String>::read(reader)?,
            base: String::read(reader)?,
            supports: Vec::<String>::read(reader)?,
        },
        11 => EntryKind::Home {
            type_code: TypeCode::read(reader)?,
            bases: Vec::<String>::read(reader)?,
            base: String::read(reader)?,
            supports: Vec::<String>::read(reader)?,
            manages: String::read(reader)?,
            primary_key: String::read(reader)?,
        },
        12 => EntryKind::Port { kind: read_port(reader)?, target: String::read(reader)? },
        13 => EntryKind::Factory(read_operation(reader)?),
        14 => EntryKind::Finder(read_operation(reader)?),
        _ => return Err(reader.error(CdrErrorKind::BadEnum, "definition")),
    })
}

fn read_operation(reader: &mut CdrReader<'_>) -> CdrResult<OperationDescription> {
    Ok(OperationDescription {
        result: TypeCode::read(reader)?,
        defined_in: String::read(reader)?,
        oneway: reader.read_bool()?,
        parameters: read_parameters(reader)?,
        exceptions: Vec::<TypeCode>::read(reader)?,
        contexts: Vec::<String>::read(reader)?,
        ..OperationDescription::default()
    })
}

fn read_port(reader: &mut CdrReader<'_>) -> CdrResult<PortKind> {
    use PortKind::{Consumes, Emits, Provides, Publishes, Uses, UsesMultiple};
    let number = reader.read_u8()?;
    [Provides, Uses, UsesMultiple, Emits, Publishes, Consumes]
        .into_iter()
        .find(|kind| *kind as u8 == number)
        .ok_or_else(|| reader.error(CdrErrorKind::BadEnum, "port"))
}

fn read_initializers(reader: &mut CdrReader<'_>) -> CdrResult<Vec<InitializerDescription>> {
    let mut initializers = Vec::new();
    for _ in 0..reader.read_count(13, "initializers")? {
        initializers.push(InitializerDescription {
            name: String::read(reader)?,
            parameters: read_parameters(reader)?,
            exceptions: Vec::<TypeCode>::read(reader)?,
        });
    }
    Ok(initializers)
}

fn read_parameters(reader: &mut CdrReader<'_>) -> CdrResult<Vec<ParameterDescription>> {
    let mut parameters = Vec::new();
    for _ in 0..reader.read_count(10, "parameters")? {
        let name = String::read(reader)?;
        let mode = match reader.read_u8()? {
            0 => Mode::In,
            1 => Mode::Out,
            2 => Mode::InOut,
            _ => return Err(reader.error(CdrErrorKind::BadEnum, "mode")),
        };
        let type_code = TypeCode::read(reader)?;
        parameters.push(ParameterDescription { name, mode, type_code });
    }
    Ok(parameters)
}
