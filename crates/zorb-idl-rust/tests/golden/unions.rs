// Made from IDL by Zorb. Change the IDL instead: changes here are lost.
/// Unions over every kind of discriminator.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum Shape {
    /// The value `POINT`.
    Point,
    /// The value `LINE`.
    Line,
    /// The value `CIRCLE`.
    Circle,
    /// The value `POLYGON`.
    Polygon,
}
::zorb::codegen::enumeration!(Shape, "IDL:Shape:1.0", "Shape", {
    Point = "POINT", Line = "LINE", Circle = "CIRCLE", Polygon = "POLYGON",
});

/// The IDL struct `Spot`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Spot {
    /// The member `x`.
    pub x: i32,
    /// The member `y`.
    pub y: i32,
}
::zorb::codegen::structure!(Spot, "IDL:Spot:1.0", "Spot", { x: i32 = "x", y: i32 = "y" });

/// The IDL union `Figure`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Figure {
    /// A single place.
    At(Spot),
    /// The member `spots`.
    Spots {
        /// The discriminator.
        label: Shape,
        /// The value.
        value: Vec<Spot>,
    },
    /// The member `description`.
    Description {
        /// The discriminator.
        label: Shape,
        /// The value.
        value: String,
    },
}
::zorb::codegen::union!(Figure, "IDL:Figure:1.0", "Figure", Shape, {
    At(Spot = Shape::Point) "at",
    Spots { Vec<Spot> = [Shape::Line] [Shape::Circle] } "spots",
    Description { String = default } "description",
});

/// The IDL union `Partial`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Partial {
    /// The member `negative`.
    Negative(i32),
    /// The member `small`.
    Small {
        /// The discriminator.
        label: i16,
        /// The value.
        value: f32,
    },
    /// No member: the discriminator names none.
    Unset {
        /// The discriminator.
        label: i16,
    },
}
::zorb::codegen::union!(Partial, "IDL:Partial:1.0", "Partial", i16, {
    Negative(i32 = -1) "negative",
    Small { f32 = [1] [2] } "small",
} empty Unset);

/// The IDL union `Covered`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Covered {
    /// The member `yes`.
    Yes(String),
    /// The member `no`.
    No(i32),
}
::zorb::codegen::union!(Covered, "IDL:Covered:1.0", "Covered", bool, {
    Yes(String = true) "yes",
    No(i32 = false) "no",
});

/// The IDL union `Letter`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Letter {
    /// The member `first`.
    First(u8),
    /// The member `quote`.
    Quote(bool),
    /// The member `other`.
    Other {
        /// The discriminator.
        label: char,
        /// The value.
        value: String,
    },
}
::zorb::codegen::union!(Letter, "IDL:Letter:1.0", "Letter", char, {
    First(u8 = 'a') "first",
    Quote(bool = '\'') "quote",
    Other { ::zorb::codegen::WString = default } "other",
});

/// The IDL union `WideLetter`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WideLetter {
    /// The member `first`.
    First(i32),
    /// No member: the discriminator names none.
    Unset {
        /// The discriminator.
        label: char,
    },
}
::zorb::codegen::union!(WideLetter, "IDL:WideLetter:1.0", "WideLetter", ::zorb::codegen::WChar, {
    First(i32 = 'a') "first",
} empty Unset);

/// The IDL union `Big`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Big {
    /// The member `most`.
    Most(i32),
    /// The member `rest`.
    Rest {
        /// The discriminator.
        label: u64,
        /// The value.
        value: i32,
    },
}
::zorb::codegen::union!(Big, "IDL:Big:1.0", "Big", u64, {
    Most(i32 = 18446744073709551615) "most",
    Rest { i32 = [0] default } "rest",
});

/// The IDL typedef `Selector`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub type Selector = i32;
::zorb::codegen::typedef!(SelectorAlias, "IDL:Selector:1.0", "Selector", i32);

/// The IDL union `Small`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Small {
    /// The member `form`.
    Form(Shape),
    /// No member: the discriminator names none.
    Unset {
        /// The discriminator.
        label: Selector,
    },
}
::zorb::codegen::union!(Small, "IDL:Small:1.0", "Small", SelectorAlias, {
    Form(Shape = 3) "form",
} empty Unset);

/// The IDL union `Expression`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// The member `constant`.
    Constant(f64),
    /// The member `sum`.
    Sum(Vec<Expression>),
    /// No member: the discriminator names none.
    Unset {
        /// The discriminator.
        label: u8,
    },
}
::zorb::codegen::union!(recursive Expression, "IDL:Expression:1.0", "Expression", u8, {
    Constant(f64 = 0) "constant",
    Sum(Vec<Expression> = 1) "sum",
} empty Unset);

/// The IDL union `Holder`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// The member `both`.
    Both(holder::Pair),
    /// The member `figures`.
    Figures([Figure; 2]),
    /// The member `anything`.
    Anything(Option<::zorb::ObjectRef>),
    /// The member `unset`.
    Unset(i32),
    /// No member: the discriminator names none.
    Unset_ {
        /// The discriminator.
        label: i32,
    },
}
::zorb::codegen::union!(Holder, "IDL:Holder:1.0", "Holder", i32, {
    Both(holder::Pair = 1) "both",
    Figures([Figure; 2] = 2) "figures",
    Anything(::zorb::codegen::Ref<::zorb::ObjectRef> = 3) "anything",
    Unset(i32 = 4) "unset",
} empty Unset_);

/// What is defined inside `Holder`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub mod holder {
    /// The IDL struct `Holder::Pair`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Pair {
        /// The member `a`.
        pub a: i32,
        /// The member `b`.
        pub b: i32,
    }
    ::zorb::codegen::structure!(Pair, "IDL:Holder/Pair:1.0", "Pair", {
        a: i32 = "a", b: i32 = "b",
    });
}

/// A reference to an object of the IDL interface `Drawing`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Drawing(::zorb::ObjectRef);
::zorb::codegen::interface!(Drawing(::zorb::ObjectRef), "IDL:Drawing:1.0", "Drawing", []);

#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
impl Drawing {
    /// The operation `draw`.
    pub fn draw(
        &self,
        model: &Figure,
        part: &Partial,
    ) -> ::zorb::Result<(Figure, Partial, Expression)> {
        ::zorb::codegen::invoke!(
            self,
            draw,
            [Figure => model, Partial => part],
            [Figure, Partial, Expression]
        )
    }
}

/// Implement this to serve `Drawing`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub trait DrawingServant: Send + Sync + 'static {
    /// The operation `draw`.
    fn draw(&self, model: &Figure, part: &Partial) -> ::zorb::Result<(Figure, Partial, Expression)>;
}
::zorb::codegen::skeleton!(Drawing, DrawingServant, {
    0 "draw" draw(model: Figure => &model, part: Partial => &part)
        [result: Figure, part_after: Partial, drawn: Expression],
});
