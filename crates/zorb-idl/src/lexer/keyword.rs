//! Keywords and operators.

macro_rules! keywords {
    ($($name:ident $text:literal)*) => {
        /// A reserved word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Keyword { $($name,)* }

        impl Keyword {
            const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its spelling.
            pub(crate) const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The keyword with exactly this spelling.
            pub(crate) fn from_text(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$name),)* _ => None }
            }
        }
    };
}

keywords! {
    Abstract "abstract" Any "any" Attribute "attribute" Boolean "boolean" Case "case" Char "char"
    Component "component" Const "const" Consumes "consumes" Context "context" Custom "custom"
    Default "default" Double "double" Emits "emits" Enum "enum" EventType "eventtype"
    Exception "exception" Factory "factory" False "FALSE" Finder "finder" Fixed "fixed"
    Float "float" GetRaises "getraises" Home "home" Import "import" In "in" InOut "inout"
    Interface "interface" Local "local" Long "long" Manages "manages" Module "module"
    Multiple "multiple" Native "native" Object "Object" Octet "octet" Oneway "oneway" Out "out"
    PrimaryKey "primarykey" Private "private" Provides "provides" Public "public"
    Publishes "publishes" Raises "raises" Readonly "readonly" Sequence "sequence"
    SetRaises "setraises" Short "short" String "string" Struct "struct" Supports "supports"
    Switch "switch" True "TRUE" Truncatable "truncatable" TypeId "typeid" TypePrefix "typeprefix"
    Typedef "typedef" Union "union" Unsigned "unsigned" Uses "uses" ValueBase "ValueBase"
    ValueType "valuetype" Void "void" WChar "wchar" WString "wstring"
}

impl Keyword {
    /// Whether CORBA 2.3 or 3 reserved this word, mostly for valuetypes and components: older IDL
    /// uses such words, in another case, as names.
    pub(crate) const fn is_new(self) -> bool {
        matches!(
            self,
            Self::Abstract
                | Self::Custom
                | Self::Factory
                | Self::Local
                | Self::Native
                | Self::Private
                | Self::Public
                | Self::Supports
                | Self::Truncatable
                | Self::ValueBase
                | Self::ValueType
                | Self::Component
                | Self::Consumes
                | Self::Emits
                | Self::EventType
                | Self::Finder
                | Self::GetRaises
                | Self::Home
                | Self::Import
                | Self::Manages
                | Self::Multiple
                | Self::PrimaryKey
                | Self::Provides
                | Self::Publishes
                | Self::SetRaises
                | Self::TypeId
                | Self::TypePrefix
                | Self::Uses
        )
    }

    /// The keyword that equals `text` when case is ignored.
    pub(crate) fn from_text_any_case(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|keyword| keyword.text().eq_ignore_ascii_case(text))
    }
}

macro_rules! puncts {
    ($($name:ident $text:literal)*) => {
        /// An operator or bracket of IDL.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Punct { $($name,)* }

        impl Punct {
            /// Its spelling.
            pub(crate) const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            pub(crate) fn from_text(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$name),)* _ => None }
            }
        }
    };
}

puncts! {
    OpenBrace "{" CloseBrace "}" OpenParen "(" CloseParen ")" OpenSquare "[" CloseSquare "]"
    Less "<" Greater ">" ShiftLeft "<<" ShiftRight ">>" Semicolon ";" Colon ":" Scope "::"
    Comma "," Equals "=" Or "|" Xor "^" And "&" Plus "+" Minus "-" Times "*" Divide "/"
    Modulo "%" Not "~" At "@"
}
