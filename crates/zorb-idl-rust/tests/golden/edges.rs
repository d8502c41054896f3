// Made from IDL by Zorb. Change the IDL instead: changes here are lost.
/// Constructs that other ORBs' compilers stumble over, and that the interop IDL therefore leaves out.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub mod edge {
    /// The IDL const `Edge::WIDTH`.
    pub const WIDTH: i32 = 12;

    /// The IDL const `Edge::BACK`.
    pub const BACK: &str = "ends in \\";

    /// The IDL const `Edge::WIDE`.
    pub const WIDE: &str = "éa";

    /// The IDL const `Edge::TINY`.
    pub const TINY: f64 = 1e-300;

    /// The IDL typedef `Edge::Bound`.
    pub type Bound = String;
    ::zorb::codegen::typedef!(
        BoundAlias,
        "IDL:Edge/Bound:1.0",
        "Bound",
        ::zorb::codegen::Bounded<String, 18>
    );

    /// The IDL typedef `Edge::Longs`.
    pub type Longs = Vec<i32>;
    ::zorb::codegen::typedef!(
        LongsAlias,
        "IDL:Edge/Longs:1.0",
        "Longs",
        ::zorb::codegen::Bounded<Vec<i32>, 18>
    );

    /// The IDL union `Edge::Big`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Big {
        /// The member `a`.
        A(i32),
        /// The member `b`.
        B(i16),
        /// No member: the discriminator names none.
        Unset {
            /// The discriminator.
            label: i64,
        },
    }
    ::zorb::codegen::union!(Big, "IDL:Edge/Big:1.0", "Big", i64, {
        A(i32 = 9223372036854775807) "a",
        B(i16 = -9223372036854775808) "b",
    } empty Unset);

    /// The IDL union `Edge::Ulongs`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub enum Ulongs {
        /// The member `a`.
        A(i32),
        /// The member `b`.
        B(String),
        /// The member `c`.
        C {
            /// The discriminator.
            label: u32,
            /// The value.
            value: u8,
        },
    }
    ::zorb::codegen::union!(Ulongs, "IDL:Edge/Ulongs:1.0", "Ulongs", u32, {
        A(i32 = 4294967295) "a",
        B(String = 40000) "b",
        C { u8 = default } "c",
    });

    /// The IDL union `Edge::Shorts`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Shorts {
        /// The member `a`.
        A(i32),
        /// No member: the discriminator names none.
        Unset {
            /// The discriminator.
            label: u16,
        },
    }
    ::zorb::codegen::union!(Shorts, "IDL:Edge/Shorts:1.0", "Shorts", u16, {
        A(i32 = 40000) "a",
    } empty Unset);

    /// The IDL union `Edge::Chars`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Chars {
        /// The member `a`.
        A(i32),
        /// The member `b`.
        B(i16),
        /// No member: the discriminator names none.
        Unset {
            /// The discriminator.
            label: char,
        },
    }
    ::zorb::codegen::union!(Chars, "IDL:Edge/Chars:1.0", "Chars", char, {
        A(i32 = '\n') "a",
        B(i16 = '\'') "b",
    } empty Unset);

    /// The IDL union `Edge::Expr`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Expr {
        /// The member `a`.
        A(i32),
        /// The member `b`.
        B(i16),
        /// The member `c`.
        C {
            /// The discriminator.
            label: i32,
            /// The value.
            value: f64,
        },
    }
    ::zorb::codegen::union!(Expr, "IDL:Edge/Expr:1.0", "Expr", i32, {
        A(i32 = 9) "a",
        B(i16 = 11) "b",
        C { f64 = default } "c",
    });

    /// A reference to an object of the IDL interface `Edge::I`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct I(::zorb::ObjectRef);
    ::zorb::codegen::interface!(I(::zorb::ObjectRef), "IDL:Edge/I:1.0", "I", []);
    impl I {
        /// The attribute `synchronized`.
        pub fn synchronized(&self) -> ::zorb::Result<i32> {
            ::zorb::codegen::invoke!(self, synchronized "_get_synchronized", [], [i32])
        }

        /// Sets the attribute `synchronized`.
        pub fn set_synchronized(&self, value: i32) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(
                self,
                set_synchronized "_set_synchronized",
                [i32 => &value],
                []
            )
        }
    }

    /// Implement this to serve `Edge::I`.
    pub trait IServant: Send + Sync + 'static {
        /// The attribute `synchronized`.
        fn synchronized(&self) -> ::zorb::Result<i32>;

        /// Sets the attribute `synchronized`.
        fn set_synchronized(&self, value: i32) -> ::zorb::Result<()>;
    }
    ::zorb::codegen::skeleton!(I, IServant, {
        0 "_get_synchronized" synchronized() [value: i32],
        1 "_set_synchronized" set_synchronized(value: i32 => value) [],
    });
}
