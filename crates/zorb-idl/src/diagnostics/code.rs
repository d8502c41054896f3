//! The registry of diagnostic codes.

use std::fmt::{self, Display, Formatter};

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Valid but suspicious; code can be generated.
    Warning,
    /// Not valid or not supported: no code may be generated.
    Error,
}

impl Display for Severity {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// The registry entry of a [`Code`].
#[derive(Debug, PartialEq, Eq)]
pub struct CodeInfo {
    /// The code.
    pub code: Code,
    /// Its spelling: `E0401` or `W0016`.
    pub text: &'static str,
    /// The severity of diagnostics with this code.
    pub severity: Severity,
    /// The violated rule in a few words.
    pub title: &'static str,
    /// The rule at length, in Markdown: why it exists, an example that violates it with the
    /// resulting diagnostics (`line:column code`), and what to write instead. The tests compile the
    /// examples.
    pub explanation: &'static str,
}

macro_rules! codes {
    ($($name:ident $text:literal $severity:ident $title:literal)*) => {
        /// The kind of a diagnostic. A code never changes its number or meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = concat!($text, ": ", $title)] $name,)*
        }

        impl Code {
            /// Every code, in numeric order within its group.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The registry entry of this code.
            #[must_use]
            pub const fn info(self) -> &'static CodeInfo {
                match self {
                    $(Self::$name => &CodeInfo {
                        code: Self::$name,
                        text: $text,
                        severity: Severity::$severity,
                        title: $title,
                        explanation: include_str!(
                            concat!("../../tests/fixtures/", $text, ".md")
                        ),
                    },)*
                }
            }
        }
    };
}

codes! {
    // the preprocessor
    FileUnreadable "E0001" Error "a file cannot be read"
    IncludeNotFound "E0002" Error "an included file is not found"
    IncludeTooDeep "E0003" Error "includes nest too deep"
    BadDirective "E0004" Error "a preprocessor directive is malformed"
    UnknownDirective "E0005" Error "a preprocessor directive is unknown"
    StrayConditional "E0006" Error "a conditional directive is out of place"
    UnterminatedConditional "E0007" Error "an #if has no #endif"
    BadCondition "E0008" Error "the expression of an #if cannot be evaluated"
    MacroRedefined "E0009" Error "a macro is redefined differently"
    ErrorDirective "E0010" Error "an #error directive"
    WarningDirective "W0011" Warning "a #warning directive"
    MacroArguments "E0012" Error "the arguments of a macro do not match its parameters"
    BadPaste "E0013" Error "the # or ## operator is not valid here"
    ExpansionTooLarge "E0014" Error "macro expansion produces too much text"
    BadPragma "E0015" Error "a #pragma prefix, ID or version is malformed"
    UnknownPragma "W0016" Warning "an unknown #pragma is ignored"
    SourceTooLarge "E0018" Error "the source is too large"
    TooManyDiagnostics "E0019" Error "too many diagnostics"
    // the lexer
    UnexpectedCharacter "E0101" Error "a character is not valid in IDL"
    UnterminatedComment "E0102" Error "a comment is not terminated"
    UnterminatedLiteral "E0103" Error "a string or character literal is not terminated"
    BadEscape "E0104" Error "an escape sequence is unknown"
    BadNumber "E0105" Error "a number is malformed"
    IntegerTooLarge "E0106" Error "an integer literal does not fit in 64 bits"
    BadCharacter "E0107" Error "a character literal must contain exactly one character"
    CharacterRange "E0108" Error "a character is out of range for its literal"
    NulInString "E0109" Error "a string cannot contain a NUL character"
    MixedConcatenation "E0110" Error "wide and narrow string literals cannot be concatenated"
    KeywordCase "E0111" Error "an identifier differs from a keyword only in case"
    NewKeywordCase "W0112" Warning "an identifier differs from a newer keyword only in case"
    // the parser
    UnexpectedToken "E0201" Error "unexpected token"
    MissingSemicolon "E0202" Error "a semicolon is missing"
    UnclosedBracket "E0203" Error "a bracket is never closed"
    NestingTooDeep "E0204" Error "definitions, types or expressions nest too deep"
    EmptyDefinition "E0205" Error "a definition has an empty body"
    MissingDirection "E0206" Error "a parameter has no direction"
    AttributeRaises "E0207" Error "a raises clause is not valid for its attribute"
    VoidType "E0208" Error "void is valid only as the result of an operation"
    InlineTypeDefinition "E0209" Error "a type cannot be defined here"
    // Constructs that back ends do not support. The front end reports none of these; codes that no
    // back end reports any more keep their number.
    FixedUnsupported "E0301" Error "fixed is not supported (no longer reported)"
    LongDoubleUnsupported "E0302" Error "long double is not supported (no longer reported)"
    ValueTypeUnsupported "E0303" Error "valuetypes with local state are not supported yet"
    AbstractUnsupported "E0304" Error "abstract interfaces are not supported (no longer reported)"
    LocalUnsupported "E0305" Error "local interfaces are not supported (no longer reported)"
    NativeUnsupported "E0306" Error "native types are not supported (no longer reported)"
    ContextUnsupported "E0307" Error "context clauses are not supported (no longer reported)"
    ImportUnsupported "E0308" Error "import is not supported (no longer reported)"
    ComponentUnsupported "E0309" Error "components and homes are not supported yet"
    EventTypeUnsupported "E0310" Error "event types are not supported yet"
    Idl4Unsupported "E0312" Error "an IDL 4 construct is not supported (no longer reported)"
    EmptyElementUnsupported "E0313" Error "sequences and maps of structs without members are not supported yet"
    NanoUnsupported "E0314" Error "a construct is not supported by the small ORB"
    NanoUnbounded "E0315" Error "a type needs a bound for the small ORB"
    ViewUnsupported "E0316" Error "views are not supported for a type or operation"
    // names and definitions
    UnknownName "E0401" Error "a name is not defined"
    Redefinition "E0402" Error "a name is defined twice in one scope"
    CaseCollision "E0403" Error "two names in one scope differ only in case"
    CaseMismatch "E0404" Error "a reference differs in case from its definition"
    RedefinedAfterUse "E0405" Error "a name is redefined after its use in the same scope"
    AmbiguousName "E0406" Error "an inherited name is ambiguous"
    SameNameAsScope "E0407" Error "a definition has the name of its enclosing scope"
    NotAType "E0408" Error "a name does not denote a type"
    ExceptionAsType "E0409" Error "an exception is not a type"
    NeverCompleted "E0410" Error "a forward declaration is never completed"
    ForwardMismatch "E0411" Error "a definition does not match its forward declaration"
    IncompleteType "E0412" Error "a type is used before it is complete"
    BadBase "E0413" Error "an interface can inherit only from a complete interface"
    DuplicateBase "E0414" Error "an interface lists a base twice"
    InheritedClash "E0415" Error "an operation or attribute clashes with an inherited one"
    Overloaded "E0416" Error "an operation or attribute name is used twice"
    NotAnException "E0417" Error "a raises clause can only name exceptions"
    DuplicateRaises "E0418" Error "a raises clause names an exception twice"
    InheritanceTooLarge "E0419" Error "an interface has too many bases or inherited names"
    BadOneway "E0420" Error "a oneway operation cannot return anything"
    DuplicateParameter "E0421" Error "two parameters have the same name"
    DuplicateMember "E0422" Error "two members have the same name"
    BadDiscriminator "E0423" Error "a union cannot switch on this type"
    BadLabel "E0424" Error "a case label is not a value of the discriminator's type"
    DuplicateLabel "E0425" Error "a case label occurs twice"
    NeedlessDefault "E0426" Error "a default case is unreachable"
    BadValueBase "E0427" Error "a valuetype can inherit only from complete valuetypes"
    SecondConcreteBase "E0428" Error "a valuetype has at most one concrete base, named first"
    BadTruncatable "E0429" Error "this valuetype cannot be truncatable"
    BadSupports "E0430" Error "a valuetype cannot support this"
    AbstractState "E0431" Error "an abstract valuetype has no state and no initializers"
    BoxedValue "E0432" Error "a value box cannot hold a valuetype"
    InitializerParameter "E0433" Error "an initializer has only in parameters"
    AbstractBase "E0434" Error "an abstract type can inherit only from abstract types"
    LocalBase "E0435" Error "only a local interface can inherit from a local interface"
    LocalInRemote "E0436" Error "a local type is used in a remote operation or type"
    NativeUse "E0437" Error "a native type is used outside local operations"
    BadContextName "E0438" Error "a context clause contains an invalid property name"
    BadFixed "E0439" Error "a fixed type has 1 to 31 digits and a scale of at most that"
    BadImport "E0440" Error "only a scope of this compilation can be imported"
    BitBound "E0441" Error "a bit bound is out of range"
    BitPosition "E0442" Error "a bitmask position is out of range or taken"
    BadBitset "E0443" Error "a bitset field is not valid"
    BadMapKey "E0444" Error "a map cannot have this key type"
    BadStructBase "E0445" Error "a struct or bitset can inherit only from a complete one of its kind"
    MisplacedAnnotation "E0446" Error "an annotation cannot be applied here"
    AnnotationArgument "E0447" Error "the arguments of an annotation do not match its declaration"
    DuplicateAnnotation "E0448" Error "an annotation is applied twice"
    AnnotationConflict "E0449" Error "annotations contradict each other"
    UnknownAnnotation "W0450" Warning "an unknown annotation is ignored"
    ComponentsMissing "E0451" Error "component definitions need the module Components (no longer reported)"
    BadComponentBase "E0452" Error "a component can inherit only from a component, and a connector from a connector"
    BadComponentSupports "E0453" Error "a component or home cannot support this"
    BadPortType "E0454" Error "a port cannot have this type"
    DuplicatePort "E0455" Error "two ports or attributes have the same name"
    BadHome "E0456" Error "a home does not match its base or its component"
    BadPrimaryKey "E0457" Error "a valuetype is not a valid primary key"
    BadEventBase "E0458" Error "only an event type can inherit from an event type"
    BadTemplate "E0459" Error "a template module or its arguments are not valid"
    TooManyPorts "E0460" Error "there are too many ports"
    TemplateTooLarge "E0461" Error "template modules produce too many definitions"
    ForwardInterface "W0462" Warning "a forward-declared interface is never defined"
    MemberLikeScope "W0463" Warning "a member differs from its struct's name only in case"
    AnnotationTooLarge "E0464" Error "an annotation has too many members"
    // constants
    BadConstType "E0501" Error "a constant cannot have this type"
    OutOfRange "E0502" Error "a value is out of its type's range"
    WrongOperand "E0503" Error "an operator cannot be applied to this operand"
    DivisionByZero "E0504" Error "division by zero"
    ShiftRange "E0505" Error "a shift count is out of the range 0 to 63"
    ConstOverflow "E0506" Error "a constant expression overflows"
    BadBound "E0507" Error "a bound must be a positive 32-bit number"
    StringTooLong "E0508" Error "a string constant is longer than its type allows"
    NotAConstant "E0509" Error "a name does not denote a constant"
    WrongValueType "E0510" Error "the value of a constant is not of its type"
    ArrayTooLarge "E0511" Error "an array is too large"
    FixedTooLong "E0512" Error "a fixed-point literal has more than 31 digits"
    // repository ids
    RepositoryIdConflict "E0601" Error "a repository id is set to two different values"
    BadRepositoryId "E0602" Error "a repository id or version is malformed"
    DuplicateRepositoryId "E0603" Error "two definitions have the same repository id"
    BadPrefix "E0604" Error "a repository id prefix is malformed"
    IdWithoutFormat "W0605" Warning "a repository id has no format prefix"
}

impl Code {
    /// The codes of faults that occur in published IDL and have an obvious meaning, and these faults.
    /// [`Options::allow`](crate::Options::allow) makes them warnings; other faults with these codes remain
    /// errors.
    pub const TOLERABLE: &'static [(Self, &'static str)] = &[
        (Self::BadDirective, "an `#include` whose file name has no quotes"),
        (Self::UnterminatedConditional, "a missing `#endif` at the end of a file"),
        (Self::BadPragma, "`;` after a pragma"),
        (Self::UnexpectedToken, "`pseudo` before an interface, which is then local"),
        (Self::MissingSemicolon, "no `;` behind a `typeprefix` or an operation"),
        (Self::EmptyDefinition, "a port type that has attributes and no ports"),
        (Self::UnknownName, "a `typeprefix` before its module"),
        (
            Self::RedefinedAfterUse,
            "the name of a type in another case as that of a member or parameter",
        ),
        (Self::SameNameAsScope, "the name of a definition as that of its module in another case"),
        (Self::NeverCompleted, "a struct or valuetype that is declared but never defined"),
        (
            Self::InheritedClash,
            "an event type whose name differs from `event`, or from its base's, in case alone",
        ),
        (Self::BadOneway, "a oneway operation with a `raises` clause, which is left out"),
        (
            Self::NativeUse,
            "a native type in an operation or attribute of an interface without `local` or `abstract`, which is then local",
        ),
        (Self::MisplacedAnnotation, "`@optional` before a case of a union"),
        (Self::OutOfRange, "a constant of a signed type as an unsigned number with the same bits"),
        (Self::WrongValueType, "a floating-point literal as a `fixed`"),
    ];

    /// Its spelling: `E0401`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.info().text
    }
}

impl Display for Code {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Looks up a code by its spelling, ignoring case. The leading letter is optional.
///
/// ```
/// let info = zorb_idl::explain("e0401").expect("a known code");
/// assert_eq!(info.title, "a name is not defined");
/// assert!(zorb_idl::explain("E9999").is_none());
/// ```
#[must_use]
pub fn explain(code: &str) -> Option<&'static CodeInfo> {
    let digits = code.trim().trim_start_matches(['E', 'e', 'W', 'w']);
    Code::ALL.iter().map(|code| code.info()).find(|info| info.text.get(1..) == Some(digits))
}
