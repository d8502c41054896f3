//! The standard annotations: where they can be applied, and their parameters.

/// A set of kinds of definitions that an annotation can be applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct On(u32);

impl On {
    pub(super) const MODULE: Self = Self(1);
    pub(super) const INTERFACE: Self = Self(1 << 1);
    pub(super) const VALUE: Self = Self(1 << 2);
    pub(super) const STRUCT: Self = Self(1 << 3);
    pub(super) const UNION: Self = Self(1 << 4);
    pub(super) const ENUM: Self = Self(1 << 5);
    pub(super) const BITMASK: Self = Self(1 << 6);
    pub(super) const BITSET: Self = Self(1 << 7);
    pub(super) const TYPEDEF: Self = Self(1 << 8);
    pub(super) const CONST: Self = Self(1 << 9);
    pub(super) const EXCEPTION: Self = Self(1 << 10);
    pub(super) const MEMBER: Self = Self(1 << 11);
    pub(super) const CASE: Self = Self(1 << 12);
    pub(super) const DISCRIMINATOR: Self = Self(1 << 13);
    pub(super) const ENUMERATOR: Self = Self(1 << 14);
    pub(super) const BIT: Self = Self(1 << 15);
    pub(super) const BITFIELD: Self = Self(1 << 16);
    pub(super) const OPERATION: Self = Self(1 << 17);
    pub(super) const ATTRIBUTE: Self = Self(1 << 18);
    pub(super) const PARAMETER: Self = Self(1 << 19);
    pub(super) const OTHER: Self = Self(1 << 20);
    pub(super) const ELEMENT: Self = Self(1 << 21);
    const ALL: Self = Self(u32::MAX);
    const TYPES: Self =
        Self::STRUCT.or(Self::UNION).or(Self::ENUM).or(Self::BITMASK).or(Self::BITSET);
    /// Declarations with a value of a type.
    const VALUES: Self = Self::MEMBER
        .or(Self::CASE)
        .or(Self::TYPEDEF)
        .or(Self::ATTRIBUTE)
        .or(Self::PARAMETER)
        .or(Self::BITFIELD)
        .or(Self::ELEMENT);

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn is_in(self, set: Self) -> bool {
        self.0 & set.0 != 0
    }

    /// The name of the kind, for messages.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::MODULE => "a module",
            Self::INTERFACE => "an interface",
            Self::VALUE => "a valuetype",
            Self::STRUCT => "a struct",
            Self::UNION => "a union",
            Self::ENUM => "an enum",
            Self::BITMASK => "a bitmask",
            Self::BITSET => "a bitset",
            Self::TYPEDEF => "a typedef",
            Self::CONST => "a constant",
            Self::EXCEPTION => "an exception",
            Self::MEMBER => "a member",
            Self::CASE => "a case",
            Self::DISCRIMINATOR => "a discriminator",
            Self::ENUMERATOR => "an enumerator",
            Self::BIT => "a bit of a bitmask",
            Self::BITFIELD => "a bitfield",
            Self::OPERATION => "an operation",
            Self::ATTRIBUTE => "an attribute",
            Self::PARAMETER => "a parameter",
            Self::ELEMENT => "an element",
            _ => "this",
        }
    }
}

/// The type of an argument.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Boolean,
    UShort,
    ULong,
    Text,
    /// A value of the type of the annotated definition.
    Value,
    /// A value of the type of the annotated definition, which must be numeric.
    Number,
    /// One of these identifiers.
    Word(&'static [&'static str]),
}

/// The default of an argument.
#[derive(Clone, Copy, Debug)]
pub(super) enum Default {
    None,
    True,
    Text(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Standard {
    pub(super) name: &'static str,
    pub(super) on: On,
    pub(super) parameters: &'static [(&'static str, Kind, Default)],
}

const FLAG: &[(&str, Kind, Default)] = &[("value", Kind::Boolean, Default::True)];

const fn standard(
    name: &'static str,
    on: On,
    parameters: &'static [(&'static str, Kind, Default)],
) -> Standard {
    Standard { name, on, parameters }
}

const STANDARD: &[Standard] = &[
    standard("id", On::MEMBER.or(On::CASE), &[("value", Kind::ULong, Default::None)]),
    standard(
        "autoid",
        On::MODULE.or(On::STRUCT).or(On::UNION).or(On::VALUE),
        &[("value", Kind::Word(&["SEQUENTIAL", "HASH"]), Default::Text("HASH"))],
    ),
    standard("hashid", On::MEMBER.or(On::CASE), &[("value", Kind::Text, Default::Text(""))]),
    standard("optional", On::MEMBER, FLAG),
    standard("position", On::BIT, &[("value", Kind::UShort, Default::None)]),
    standard("value", On::ENUMERATOR, &[("value", Kind::Value, Default::None)]),
    standard(
        "extensibility",
        On::TYPES,
        &[("value", Kind::Word(&["FINAL", "APPENDABLE", "MUTABLE"]), Default::None)],
    ),
    standard("final", On::TYPES, &[]),
    standard("appendable", On::TYPES, &[]),
    standard("mutable", On::TYPES, &[]),
    standard("key", On::MEMBER.or(On::DISCRIMINATOR), FLAG),
    standard("must_understand", On::MEMBER.or(On::CASE), FLAG),
    standard("default_literal", On::ENUMERATOR, &[]),
    // Of Zorb: the back end for Rust reads it.
    standard("upcall", On::INTERFACE.or(On::OPERATION).or(On::ATTRIBUTE), FLAG),
    standard("deferred", On::INTERFACE, FLAG),
    standard("view", On::STRUCT.or(On::INTERFACE).or(On::OPERATION).or(On::ATTRIBUTE), FLAG),
    standard(
        "marshal",
        On::MODULE.or(On::INTERFACE).or(On::STRUCT).or(On::ENUM).or(On::EXCEPTION),
        &[("value", Kind::Word(&["COMPILED", "INTERPRETIVE"]), Default::None)],
    ),
    standard("default", On::VALUES, &[("value", Kind::Value, Default::None)]),
    standard(
        "range",
        On::VALUES,
        &[("min", Kind::Number, Default::None), ("max", Kind::Number, Default::None)],
    ),
    standard("min", On::VALUES, &[("value", Kind::Number, Default::None)]),
    standard("max", On::VALUES, &[("value", Kind::Number, Default::None)]),
    standard("unit", On::VALUES.or(On::CONST), &[("value", Kind::Text, Default::None)]),
    standard("bit_bound", On::ENUM.or(On::BITMASK), &[("value", Kind::UShort, Default::None)]),
    standard("external", On::MEMBER.or(On::CASE).or(On::ELEMENT), FLAG),
    standard("nested", On::TYPES.or(On::TYPEDEF), FLAG),
    standard("default_nested", On::MODULE, FLAG),
    standard(
        "verbatim",
        On::ALL,
        &[
            ("language", Kind::Text, Default::Text("*")),
            (
                "placement",
                Kind::Word(&[
                    "BEGIN_FILE",
                    "BEFORE_DECLARATION",
                    "BEGIN_DECLARATION",
                    "END_DECLARATION",
                    "AFTER_DECLARATION",
                    "END_FILE",
                ]),
                Default::Text("BEFORE_DECLARATION"),
            ),
            ("text", Kind::Text, Default::None),
        ],
    ),
    standard("service", On::INTERFACE, &[("platform", Kind::Text, Default::Text("*"))]),
    standard(
        "topic",
        On::STRUCT.or(On::UNION),
        &[("name", Kind::Text, Default::Text("")), ("platform", Kind::Text, Default::Text("*"))],
    ),
    standard("oneway", On::OPERATION, FLAG),
    standard("ami", On::INTERFACE.or(On::OPERATION), FLAG),
];

/// Finds the standard annotation with this name.
pub(super) fn find(name: &str) -> Option<&'static Standard> {
    STANDARD.iter().find(|item| item.name == name)
}

/// The names of the standard annotations, for suggestions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    STANDARD.iter().map(|item| item.name)
}
