//! The registry of diagnostic codes.

use std::fmt::{self, Display, Formatter};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth a look; code can be generated.
    Warning,
    /// The input is not valid, or not supported: no code may be generated.
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

/// What there is to know about a [`Code`].
#[derive(Debug, PartialEq, Eq)]
pub struct CodeInfo {
    /// The code.
    pub code: Code,
    /// Its spelling: `E0401` or `W0016`.
    pub text: &'static str,
    /// How bad findings with this code are.
    pub severity: Severity,
    /// The rule that is broken, in a few words.
    pub title: &'static str,
    /// The rule at length, in Markdown: why it exists, an example that breaks it with the
    /// findings it gives (`line:column code`), and what to write instead. The examples are
    /// compiled by the tests.
    pub explanation: &'static str,
}

macro_rules! codes {
    ($($name:ident $text:literal $severity:ident $title:literal)*) => {
        /// The kind of a finding. Codes keep their number and meaning for good.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = concat!($text, ": ", $title)] $name,)*
        }

        impl Code {
            /// Every code, in numeric order within its group.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// What there is to know about it.
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
    UnknownDirective "E0005" Error "there is no such preprocessor directive"
    StrayConditional "E0006" Error "a conditional directive is out of place"
    UnterminatedConditional "E0007" Error "an #if has no #endif"
    BadCondition "E0008" Error "the expression of an #if cannot be computed"
    MacroRedefined "E0009" Error "a macro gets a second, different definition"
    ErrorDirective "E0010" Error "the file says #error"
    WarningDirective "W0011" Warning "the file says #warning"
    MacroArguments "E0012" Error "a macro's arguments do not fit its parameters"
    BadPaste "E0013" Error "# or ## cannot do its work here"
    ExpansionTooLarge "E0014" Error "macros expand to too much text"
    BadPragma "E0015" Error "a #pragma prefix, ID or version is malformed"
    UnknownPragma "W0016" Warning "a #pragma is not known and has no effect"
    SourceTooLarge "E0018" Error "the source is too large"
    TooManyDiagnostics "E0019" Error "there are more findings than are shown"
    // the lexer
    UnexpectedCharacter "E0101" Error "a character has no meaning in IDL"
    UnterminatedComment "E0102" Error "a comment has no end"
    UnterminatedLiteral "E0103" Error "a string or character literal has no end"
    BadEscape "E0104" Error "there is no such escape sequence"
    BadNumber "E0105" Error "a number is malformed"
    IntegerTooLarge "E0106" Error "an integer literal has more than 64 bits"
    BadCharacter "E0107" Error "a character literal must hold exactly one character"
    CharacterRange "E0108" Error "a character does not fit its literal's kind"
    NulInString "E0109" Error "a string cannot hold the character zero"
    MixedConcatenation "E0110" Error "wide and narrow string literals cannot be joined"
    KeywordCase "E0111" Error "an identifier differs from a keyword only in case"
    NewKeywordCase "W0112" Warning "an identifier differs from a newer keyword only in case"
    // the parser
    UnexpectedToken "E0201" Error "something else was expected here"
    MissingSemicolon "E0202" Error "a semicolon is missing"
    UnclosedBracket "E0203" Error "a bracket is never closed"
    NestingTooDeep "E0204" Error "something nests too deep"
    EmptyDefinition "E0205" Error "a definition needs something in its braces"
    MissingDirection "E0206" Error "a parameter has no direction"
    AttributeRaises "E0207" Error "a raises clause does not fit its attribute"
    VoidType "E0208" Error "void is only an operation's result"
    TypeDefinedInPlace "E0209" Error "a type cannot be defined here"
    // what back ends do not support yet: the front end reports none of these, and
    // those that no back end reports any more keep their number
    FixedUnsupported "E0301" Error "fixed is not supported yet"
    LongDoubleUnsupported "E0302" Error "long double is not supported yet"
    ValueTypeUnsupported "E0303" Error "valuetypes are not supported yet"
    AbstractUnsupported "E0304" Error "abstract interfaces are not supported yet"
    LocalUnsupported "E0305" Error "local interfaces are not supported yet"
    NativeUnsupported "E0306" Error "native types are not supported yet"
    ContextUnsupported "E0307" Error "context clauses are not supported yet"
    ImportUnsupported "E0308" Error "import is not supported yet"
    ComponentUnsupported "E0309" Error "components and homes are not supported yet"
    EventTypeUnsupported "E0310" Error "event types are not supported yet"
    Idl4Unsupported "E0312" Error "this construct of IDL 4 is not supported yet"
    // names and definitions
    UnknownName "E0401" Error "a name is not defined"
    Redefinition "E0402" Error "a name is defined twice in one scope"
    CaseCollision "E0403" Error "two names in one scope differ only in case"
    CaseMismatch "E0404" Error "a name is used in another spelling than it is defined"
    RedefinedAfterUse "E0405" Error "a name gets another meaning after its use in the same scope"
    AmbiguousName "E0406" Error "a name is inherited with two meanings"
    SameNameAsScope "E0407" Error "a definition has the name of the scope around it"
    NotAType "E0408" Error "a name does not stand for a type"
    ExceptionAsType "E0409" Error "an exception is not a type"
    NeverCompleted "E0410" Error "a forward declaration is never completed"
    ForwardMismatch "E0411" Error "a definition does not fit its forward declaration"
    IncompleteType "E0412" Error "a type is used before it is complete"
    BadBase "E0413" Error "an interface can inherit only from a complete interface"
    DuplicateBase "E0414" Error "an interface names a base twice"
    InheritedClash "E0415" Error "an operation or attribute clashes with an inherited one"
    Overloaded "E0416" Error "an operation or attribute name is used twice"
    NotAnException "E0417" Error "a raises clause can only name exceptions"
    DuplicateRaises "E0418" Error "a raises clause names an exception twice"
    InheritanceTooLarge "E0419" Error "an interface inherits too much"
    OnewayShape "E0420" Error "a oneway operation cannot return anything"
    DuplicateParameter "E0421" Error "two parameters have the same name"
    DuplicateMember "E0422" Error "two members have the same name"
    BadDiscriminator "E0423" Error "a union cannot switch on this type"
    BadLabel "E0424" Error "a case label is not a value of the discriminator's type"
    DuplicateLabel "E0425" Error "a case label occurs twice"
    NeedlessDefault "E0426" Error "a default case can never be selected"
    BadValueBase "E0427" Error "a valuetype can inherit only from complete valuetypes"
    SecondConcreteBase "E0428" Error "a valuetype has at most one concrete base, named first"
    BadTruncatable "E0429" Error "truncatable does not fit this valuetype"
    BadSupports "E0430" Error "a valuetype cannot support this"
    AbstractState "E0431" Error "an abstract valuetype has no state and no initialisers"
    BoxedValue "E0432" Error "a value box cannot hold a valuetype"
    InitializerParameter "E0433" Error "an initialiser has only in parameters"
    AbstractBase "E0434" Error "what is abstract can inherit only from what is abstract"
    LocalBase "E0435" Error "only a local interface can inherit from a local interface"
    LocalInRemote "E0436" Error "a local type cannot leave its process"
    NativeUse "E0437" Error "a native type is used where only local operations can use it"
    BadContextName "E0438" Error "a context clause names no property"
    BadFixed "E0439" Error "a fixed type has 1 to 31 digits, and no more of them behind the point"
    BadImport "E0440" Error "only a scope of this compilation can be imported"
    BitBound "E0441" Error "a bit bound is out of its range"
    BitPosition "E0442" Error "a bit of a bit mask has no place of its own"
    BadBitset "E0443" Error "a field does not fit its bit set"
    BadMapKey "E0444" Error "a map cannot have this key"
    BadStructBase "E0445" Error "only complete structs and bit sets have heirs of their kind"
    AnnotationPlace "E0446" Error "an annotation does not fit here"
    AnnotationArgument "E0447" Error "the arguments of an annotation do not fit it"
    DuplicateAnnotation "E0448" Error "an annotation is given twice"
    AnnotationConflict "E0449" Error "annotations contradict each other"
    UnknownAnnotation "W0450" Warning "an annotation is not known and has no effect"
    ComponentsMissing "E0451" Error "components need the module Components"
    BadComponentBase "E0452" Error "a component inherits only from a component, a connector from a connector"
    BadComponentSupports "E0453" Error "a component or home cannot support this"
    BadPortType "E0454" Error "nothing of this type goes through such a port"
    DuplicatePort "E0455" Error "two ports or attributes have the same name"
    BadHome "E0456" Error "a home does not fit its base or its component"
    BadPrimaryKey "E0457" Error "a primary key is a valuetype with public state made for it"
    BadEventBase "E0458" Error "only event types inherit from event types"
    BadTemplate "E0459" Error "a template module or its arguments do not fit"
    TooManyPorts "E0460" Error "there are too many ports"
    TemplateTooLarge "E0461" Error "template modules make too much"
    ForwardInterface "W0462" Warning "an interface is declared ahead and not defined in the compilation"
    MemberLikeScope "W0463" Warning "a member has the name of its struct in another case"
    AnnotationTooLarge "E0464" Error "an annotation has too many members"
    // constants
    BadConstType "E0501" Error "a constant cannot have this type"
    OutOfRange "E0502" Error "a value is out of its type's range"
    WrongOperand "E0503" Error "an operator cannot work on this operand"
    DivisionByZero "E0504" Error "a division by zero"
    ShiftRange "E0505" Error "a shift by less than 0 or more than 63 bits"
    ConstOverflow "E0506" Error "a constant expression overflows"
    BadBound "E0507" Error "a bound must be a positive number of at most 32 bits"
    StringTooLong "E0508" Error "a string constant is longer than its type allows"
    NotAConstant "E0509" Error "a name does not stand for a constant"
    WrongValueType "E0510" Error "a constant's value is not of its type"
    ArrayTooLarge "E0511" Error "an array is too large"
    FixedTooLong "E0512" Error "a fixed-point literal has more than 31 digits"
    // repository ids
    RepositoryIdConflict "E0601" Error "a repository id is set twice, differently"
    BadRepositoryId "E0602" Error "a repository id or version is malformed"
    DuplicateRepositoryId "E0603" Error "two definitions have the same repository id"
    BadPrefix "E0604" Error "a repository id prefix is malformed"
    IdWithoutFormat "W0605" Warning "a repository id does not say its format"
}

impl Code {
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

/// Looks up a code by its spelling; case does not matter, nor does the leading letter.
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
