//! Kinds of definitions and types, in the terms of the standard.

use zorb::dynamic::repository::{Entry, EntryKind, PortKind};
use zorb::{Interface, TcKind, TypeCode};

use crate::corba::{
    AliasDef, ArrayDef, ConstantDef, DefinitionKind, EnumDef, ExceptionDef,
    ExtAbstractInterfaceDef, ExtAttributeDef, ExtInterfaceDef, ExtLocalInterfaceDef, ExtValueDef,
    FixedDef, IdlType, ModuleDef, NativeDef, OperationDef, PrimitiveDef, PrimitiveKind, Repository,
    SequenceDef, StringDef, StructDef, UnionDef, ValueBoxDef, ValueMemberDef, WstringDef,
    component_ir,
};

/// The kind of a definition.
pub(super) fn of_entry(entry: &Entry) -> DefinitionKind {
    match &entry.kind {
        EntryKind::Repository => DefinitionKind::DkRepository,
        EntryKind::Module => DefinitionKind::DkModule,
        EntryKind::Interface { type_code, .. } => match type_code.kind() {
            TcKind::AbstractInterface => DefinitionKind::DkAbstractInterface,
            TcKind::LocalInterface => DefinitionKind::DkLocalInterface,
            _ => DefinitionKind::DkInterface,
        },
        EntryKind::Value { type_code, .. } => match type_code.kind() {
            TcKind::Event => DefinitionKind::DkEvent,
            _ => DefinitionKind::DkValue,
        },
        EntryKind::Component { .. } => DefinitionKind::DkComponent,
        EntryKind::Home { .. } => DefinitionKind::DkHome,
        EntryKind::Factory(_) => DefinitionKind::DkFactory,
        EntryKind::Finder(_) => DefinitionKind::DkFinder,
        EntryKind::Port { kind, .. } => match kind {
            PortKind::Provides => DefinitionKind::DkProvides,
            PortKind::Uses | PortKind::UsesMultiple => DefinitionKind::DkUses,
            PortKind::Emits => DefinitionKind::DkEmits,
            PortKind::Publishes => DefinitionKind::DkPublishes,
            PortKind::Consumes => DefinitionKind::DkConsumes,
        },
        EntryKind::ValueMember { .. } => DefinitionKind::DkValueMember,
        EntryKind::Type(type_code) => of_type(type_code),
        EntryKind::Exception(_) => DefinitionKind::DkException,
        EntryKind::Constant(_) => DefinitionKind::DkConstant,
        EntryKind::Operation(_) => DefinitionKind::DkOperation,
        EntryKind::Attribute(_) => DefinitionKind::DkAttribute,
        _ => DefinitionKind::DkNone,
    }
}

/// The kind of a type's definition, or of the object of an anonymous type.
pub(super) fn of_type(type_code: &TypeCode) -> DefinitionKind {
    match type_code.kind() {
        TcKind::Alias => DefinitionKind::DkAlias,
        TcKind::Struct => DefinitionKind::DkStruct,
        TcKind::Union => DefinitionKind::DkUnion,
        TcKind::Enum => DefinitionKind::DkEnum,
        TcKind::Native => DefinitionKind::DkNative,
        TcKind::ValueBox => DefinitionKind::DkValueBox,
        TcKind::Sequence => DefinitionKind::DkSequence,
        TcKind::Array => DefinitionKind::DkArray,
        TcKind::Fixed => DefinitionKind::DkFixed,
        _ if primitive_of(type_code).is_some() => DefinitionKind::DkPrimitive,
        TcKind::String => DefinitionKind::DkString,
        TcKind::WString => DefinitionKind::DkWstring,
        _ => DefinitionKind::DkNone,
    }
}

/// Whether a search for `wanted` includes definitions of `kind`.
pub(super) fn matches(wanted: DefinitionKind, kind: DefinitionKind) -> bool {
    use DefinitionKind::{
        DkAlias, DkAll, DkEnum, DkNative, DkStruct, DkTypedef, DkUnion, DkValueBox,
    };
    match wanted {
        DkAll => true,
        DkTypedef => {
            matches!(kind, DkAlias | DkStruct | DkUnion | DkEnum | DkNative | DkValueBox)
        }
        _ => wanted == kind,
    }
}

/// The repository ids of the interfaces of objects of a kind; the most derived comes first.
pub(super) fn type_ids(kind: DefinitionKind) -> &'static [&'static str] {
    match kind {
        DefinitionKind::DkRepository => Repository::TYPE_IDS,
        DefinitionKind::DkModule => ModuleDef::TYPE_IDS,
        DefinitionKind::DkInterface => ExtInterfaceDef::TYPE_IDS,
        DefinitionKind::DkAbstractInterface => ExtAbstractInterfaceDef::TYPE_IDS,
        DefinitionKind::DkLocalInterface => ExtLocalInterfaceDef::TYPE_IDS,
        DefinitionKind::DkValue => ExtValueDef::TYPE_IDS,
        DefinitionKind::DkValueMember => ValueMemberDef::TYPE_IDS,
        DefinitionKind::DkStruct => StructDef::TYPE_IDS,
        DefinitionKind::DkUnion => UnionDef::TYPE_IDS,
        DefinitionKind::DkEnum => EnumDef::TYPE_IDS,
        DefinitionKind::DkAlias => AliasDef::TYPE_IDS,
        DefinitionKind::DkNative => NativeDef::TYPE_IDS,
        DefinitionKind::DkValueBox => ValueBoxDef::TYPE_IDS,
        DefinitionKind::DkException => ExceptionDef::TYPE_IDS,
        DefinitionKind::DkConstant => ConstantDef::TYPE_IDS,
        DefinitionKind::DkOperation => OperationDef::TYPE_IDS,
        DefinitionKind::DkAttribute => ExtAttributeDef::TYPE_IDS,
        DefinitionKind::DkEvent => component_ir::EventDef::TYPE_IDS,
        DefinitionKind::DkComponent => component_ir::ComponentDef::TYPE_IDS,
        DefinitionKind::DkHome => component_ir::HomeDef::TYPE_IDS,
        DefinitionKind::DkFactory => component_ir::FactoryDef::TYPE_IDS,
        DefinitionKind::DkFinder => component_ir::FinderDef::TYPE_IDS,
        DefinitionKind::DkProvides => component_ir::ProvidesDef::TYPE_IDS,
        DefinitionKind::DkUses => component_ir::UsesDef::TYPE_IDS,
        DefinitionKind::DkEmits => component_ir::EmitsDef::TYPE_IDS,
        DefinitionKind::DkPublishes => component_ir::PublishesDef::TYPE_IDS,
        DefinitionKind::DkConsumes => component_ir::ConsumesDef::TYPE_IDS,
        DefinitionKind::DkPrimitive => PrimitiveDef::TYPE_IDS,
        DefinitionKind::DkString => StringDef::TYPE_IDS,
        DefinitionKind::DkWstring => WstringDef::TYPE_IDS,
        DefinitionKind::DkFixed => FixedDef::TYPE_IDS,
        DefinitionKind::DkSequence => SequenceDef::TYPE_IDS,
        DefinitionKind::DkArray => ArrayDef::TYPE_IDS,
        _ => IdlType::TYPE_IDS,
    }
}

/// The repository id of the common base of all valuetypes.
pub(super) const VALUE_BASE: &str = "IDL:omg.org/CORBA/ValueBase:1.0";

/// The primitive kinds with TypeCodes without parameters.
const PLAIN: [(PrimitiveKind, TcKind); 18] = [
    (PrimitiveKind::PkNull, TcKind::Null),
    (PrimitiveKind::PkVoid, TcKind::Void),
    (PrimitiveKind::PkShort, TcKind::Short),
    (PrimitiveKind::PkLong, TcKind::Long),
    (PrimitiveKind::PkUshort, TcKind::UShort),
    (PrimitiveKind::PkUlong, TcKind::ULong),
    (PrimitiveKind::PkFloat, TcKind::Float),
    (PrimitiveKind::PkDouble, TcKind::Double),
    (PrimitiveKind::PkBoolean, TcKind::Boolean),
    (PrimitiveKind::PkChar, TcKind::Char),
    (PrimitiveKind::PkOctet, TcKind::Octet),
    (PrimitiveKind::PkAny, TcKind::Any),
    (PrimitiveKind::PkTypeCode, TcKind::TypeCode),
    (PrimitiveKind::PkPrincipal, TcKind::Principal),
    (PrimitiveKind::PkLonglong, TcKind::LongLong),
    (PrimitiveKind::PkUlonglong, TcKind::ULongLong),
    (PrimitiveKind::PkLongdouble, TcKind::LongDouble),
    (PrimitiveKind::PkWchar, TcKind::WChar),
];

/// The type of a primitive kind.
pub(super) fn primitive(kind: PrimitiveKind) -> TypeCode {
    use zorb::{ObjectRef, ValueModifier};
    match kind {
        PrimitiveKind::PkString => TypeCode::string(0),
        PrimitiveKind::PkWstring => TypeCode::wstring(0),
        PrimitiveKind::PkObjref => {
            TypeCode::interface(ObjectRef::REPOSITORY_ID, ObjectRef::NAME).unwrap_or_default()
        }
        PrimitiveKind::PkValueBase => {
            TypeCode::value(VALUE_BASE, "ValueBase", ValueModifier::None, None, &[])
                .unwrap_or_default()
        }
        _ => {
            let plain = PLAIN.iter().find(|(known, _)| *known == kind);
            plain.map_or_else(TypeCode::default, |(_, kind)| TypeCode::plain(*kind))
        }
    }
}

/// The primitive kind of a type, if it is primitive.
pub(super) fn primitive_of(type_code: &TypeCode) -> Option<PrimitiveKind> {
    let has_id = |id: &str| type_code.id() == id;
    match type_code.kind() {
        TcKind::String if type_code.length() == Ok(0) => Some(PrimitiveKind::PkString),
        TcKind::WString if type_code.length() == Ok(0) => Some(PrimitiveKind::PkWstring),
        TcKind::ObjRef if has_id(zorb::ObjectRef::REPOSITORY_ID) || has_id("") => {
            Some(PrimitiveKind::PkObjref)
        }
        TcKind::Value if has_id(VALUE_BASE) => Some(PrimitiveKind::PkValueBase),
        kind => PLAIN.iter().find(|(_, plain)| *plain == kind).map(|(known, _)| *known),
    }
}
