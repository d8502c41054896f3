//! The types that are compared.

use zorb_core::value::ValueRegistry;
use zorb_core::{Ref, Value};
use zorb_interp::Tabled;
use zorb_types::{TypeCode, Typed};

use super::compare::{Input, check};
use super::{compiled, interpretive};

/// A type with both kinds of code.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Its path in Rust.
    pub name: &'static str,
    /// Its TypeCode.
    pub type_code: fn() -> TypeCode,
    pub(crate) check: fn(&Input<'_>) -> bool,
}

impl Pair {
    /// A type with the code `C` and the table `I`.
    #[must_use]
    pub const fn new<C: Tabled + Typed, I: Tabled>(name: &'static str) -> Self {
        Self { name, type_code: C::type_code, check: check::<C, I> }
    }
}

/// A type of the path: itself, or with `[Ref]` the references to it and with `[Value]` the values of it.
macro_rules! typed {
    ([] $($path:ident)::+) => { $($path)::+ };
    ([$outer:ident] $($path:ident)::+) => { $outer<$($path)::+> };
}

macro_rules! pairs {
    ($([$($outer:ident)?] $($path:ident)::+;)*) => {
        /// The types of the fixtures, but for valuetypes with operations.
        pub const TYPES: &[Pair] = &[$(Pair::new::<
            typed!([$($outer)?] compiled::$($path)::+),
            typed!([$($outer)?] interpretive::$($path)::+),
        >(stringify!($($outer)? $($path)::+))),*];
    };
}

pairs! {
    [] ami::depot::Empty;
    [] ami::depot::NamesAlias;
    [] any::Tagged;
    [] any::AnysAlias;
    [] bank::bank::Currency;
    [] bank::bank::Money;
    [] bank::bank::Fee;
    [] bank::bank::InsufficientFunds;
    [] bank::bank::Closed;
    [] deferred::shop::Closed;
    [] edges::edge::Big;
    [] edges::edge::Ulongs;
    [] edges::edge::Shorts;
    [] edges::edge::Chars;
    [] edges::edge::Expr;
    [] edges::Nothing;
    [] edges::AroundNothing;
    [] extended::extended::Numbers;
    [] extended::extended::Access;
    [] extended::extended::Wide;
    [] extended::extended::Header;
    [] extended::extended::LongHeader;
    [] extended::extended::Room;
    [] extended::extended::Base;
    [] extended::extended::Derived;
    [] extended::extended::Choice;
    [] interfaces::graph::node::State;
    [] interfaces::graph::NotFound;
    [] interfaces::graph::Broken;
    [] names::r#match::Self_;
    [] names::r#match::Option;
    [] names::r#match::String;
    [] names::r#match::Result;
    [] names::r#match::Vec;
    [] names::r#match::System;
    [] names::r#match::SendError;
    [] names::i32_::Str;
    [] names::clashes::FooBar;
    [] names::clashes::FooBar_;
    [] names::clashes::Mode;
    [] names::clashes::http_server::Inside;
    [] names::clashes::raiser::DoItError;
    [] reopened::common::Stamp;
    [] reopened::common::Late;
    [] reopened::first::A;
    [] reopened::first::deep::C;
    [] reopened::second::B;
    [] types::types::Colour;
    [] types::types::Basics;
    [] types::types::Whole;
    [] types::types::BlobAlias;
    [] types::types::MatrixAlias;
    [] types::types::AliasAlias;
    [] types::types::Texts;
    [] types::types::Collections;
    [] types::types::Node;
    [] types::types::Outer;
    [] types::types::Failed;
    [] types::types::all::NearbyAlias;
    [] types::types::all::Refused;
    [] unions::Shape;
    [] unions::Spot;
    [] unions::Figure;
    [] unions::Partial;
    [] unions::Covered;
    [] unions::Letter;
    [] unions::WideLetter;
    [] unions::Big;
    [] unions::Small;
    [] unions::Expression;
    [] unions::Holder;
    [] unions::holder::Pair;
    [] chunks::chunks::Plain;
    [] chunks::chunks::Texts;
    [] chunks::chunks::Kind;
    [Value] chunks::chunks::Base;
    [Value] chunks::chunks::Derived;
    [Ref] bank::bank::Account;
    [Ref] interfaces::graph::Node;
}

/// The valuetypes, in a registry for each engine.
pub(crate) struct Registries {
    pub(crate) compiled: ValueRegistry,
    pub(crate) interpretive: ValueRegistry,
}

impl Registries {
    pub(crate) fn new() -> Self {
        let registries =
            Self { compiled: ValueRegistry::default(), interpretive: ValueRegistry::default() };
        registries.compiled.register::<compiled::chunks::chunks::Base>();
        registries.compiled.register::<compiled::chunks::chunks::Derived>();
        registries.interpretive.register::<interpretive::chunks::chunks::Base>();
        registries.interpretive.register::<interpretive::chunks::chunks::Derived>();
        registries
    }
}
