// Made from IDL by Zorb. Change the IDL instead: changes here are lost.
/// The IDL module `Extended`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub mod extended {
    /// The IDL typedef `Extended::Price`.
    pub type Price = ::zorb::codegen::Fixed<7, 2>;
    ::zorb::codegen::typedef!(
        PriceAlias,
        "IDL:example.com/Extended/Price:1.0",
        "Price",
        ::zorb::codegen::Fixed<7, 2>
    );

    /// The IDL const `Extended::VAT`.
    pub const VAT: ::zorb::codegen::Fixed<2, 2> = ::zorb::codegen::Fixed::<
        2,
        2,
    >::constant(19);

    /// The IDL const `Extended::LIMIT`.
    pub const LIMIT: Price = ::zorb::codegen::Fixed::<7, 2>::constant(100000);

    /// The IDL const `Extended::HALF`.
    pub const HALF: ::zorb::codegen::LongDouble = ::zorb::codegen::LongDouble::from_f64(
        0.5,
    );

    /// The IDL const `Extended::GREETING`.
    pub const GREETING: &str = "grüß";

    /// The IDL const `Extended::UMLAUT`.
    pub const UMLAUT: char = 'ü';

    /// The IDL struct `Extended::Numbers`.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Numbers {
        /// The member `cost`.
        pub cost: Price,
        /// The member `ratio`.
        pub ratio: ::zorb::codegen::Fixed<4, 4>,
        /// The member `precise`.
        pub precise: ::zorb::codegen::LongDouble,
        /// The member `small`.
        pub small: i8,
        /// The member `raw`.
        pub raw: u8,
        /// The member `large`.
        pub large: u64,
        /// The member `smalls`.
        pub smalls: Vec<i8>,
    }
    ::zorb::codegen::structure!(Numbers, "IDL:example.com/Extended/Numbers:1.0", "Numbers", {
        cost: PriceAlias = "cost", ratio: ::zorb::codegen::Fixed<4, 4> = "ratio",
        precise: ::zorb::codegen::LongDouble = "precise", small: i8 = "small", raw: u8 = "raw",
        large: u64 = "large", smalls: Vec<i8> = "smalls",
    });

    /// The IDL bitmask `Extended::Access`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Access(u16);
    impl Access {
        /// To look.
        pub const READ: Self = Self(1 << 0);

        /// The bit `write`.
        pub const WRITE: Self = Self(1 << 1);

        /// The bit `admin`.
        pub const ADMIN: Self = Self(1 << 9);
    }
    ::zorb::codegen::bitmask!(Access, u16, "IDL:example.com/Extended/Access:1.0", "Access");

    /// The IDL const `Extended::ALL`.
    pub const ALL: Access = Access::from_bits(3);

    /// The IDL bitmask `Extended::Wide`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Wide(u64);
    impl Wide {
        /// The bit `last`.
        pub const LAST: Self = Self(1 << 63);
    }
    ::zorb::codegen::bitmask!(Wide, u64, "IDL:example.com/Extended/Wide:1.0", "Wide");

    /// The IDL bitset `Extended::Header`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Header {
        /// The field `kind`, 3 bits.
        pub kind: u8,
        /// The field `urgent`, 1 bit.
        pub urgent: bool,
        /// The field `delta`, 5 bits.
        pub delta: i16,
    }
    ::zorb::codegen::bitset!(Header, u16, "IDL:example.com/Extended/Header:1.0", "Header", {
        kind: u8 = 0 3, urgent: bool = 3 1, delta: i16 = 8 5,
    });

    /// The IDL bitset `Extended::LongHeader`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct LongHeader {
        /// The field `kind`, 3 bits.
        pub kind: u8,
        /// The field `urgent`, 1 bit.
        pub urgent: bool,
        /// The field `delta`, 5 bits.
        pub delta: i16,
        /// The field `length`, 19 bits.
        pub length: u32,
    }
    ::zorb::codegen::bitset!(LongHeader, u32, "IDL:example.com/Extended/LongHeader:1.0", "LongHeader", {
        kind: u8 = 0 3, urgent: bool = 3 1, delta: i16 = 8 5, length: u32 = 13 19,
    });

    /// The IDL typedef `Extended::Ages`.
    pub type Ages = ::std::collections::BTreeMap<String, i32>;
    ::zorb::codegen::typedef!(
        AgesAlias,
        "IDL:example.com/Extended/Ages:1.0",
        "Ages",
        ::std::collections::BTreeMap<String, i32>
    );

    /// The IDL enum `Extended::Room`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u32)]
    pub enum Room {
        /// The value `kitchen`.
        Kitchen,
        /// The value `hall`.
        Hall,
    }
    ::zorb::codegen::enumeration!(Room, "IDL:example.com/Extended/Room:1.0", "Room", {
        Kitchen = "kitchen", Hall = "hall",
    });

    /// The IDL struct `Extended::Base`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Base {
        /// The member `name`.
        pub name: String,
    }
    ::zorb::codegen::structure!(Base, "IDL:example.com/Extended/Base:1.0", "Base", {
        name: String = "name",
    });

    /// The IDL struct `Extended::Derived`.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Derived {
        /// The member `name`.
        pub name: String,
        /// The member `years`.
        pub years: Ages,
        /// The member `names`.
        pub names: ::std::collections::BTreeMap<Room, Vec<String>>,
        /// The member `kind`.
        pub kind: ::zorb::codegen::TypeCode,
        /// The member `head`.
        pub head: Header,
        /// The member `allowed`.
        pub allowed: Access,
    }
    ::zorb::codegen::structure!(Derived, "IDL:example.com/Extended/Derived:1.0", "Derived", {
        name: String = "name", years: AgesAlias = "years",
        names: ::zorb::codegen::Bounded<::std::collections::BTreeMap<Room, Vec<::zorb::codegen::WString>>, 2> = "names",
        kind: ::zorb::codegen::TypeCode = "kind", head: Header = "head",
        allowed: Access = "allowed",
    });

    /// The IDL union `Extended::Choice`.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Choice {
        /// The member `cost`.
        Cost(Price),
        /// The member `whole`.
        Whole(Derived),
        /// The member `other`.
        Other {
            /// The discriminator.
            label: u8,
            /// The value.
            value: ::zorb::codegen::LongDouble,
        },
    }
    ::zorb::codegen::union!(Choice, "IDL:example.com/Extended/Choice:1.0", "Choice", u8, {
        Cost(PriceAlias = 1) "cost",
        Whole(Derived = 2) "whole",
        Other { ::zorb::codegen::LongDouble = default } "other",
    });

    /// A reference to an object of the IDL interface `Extended::Shop`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Shop(::zorb::ObjectRef);
    ::zorb::codegen::interface!(
        Shop(::zorb::ObjectRef),
        "IDL:example.com/Extended/Shop:1.0",
        "Shop",
        []
    );
    impl Shop {
        /// The operation `total`.
        pub fn total(
            &self,
            a: Price,
            b: ::zorb::codegen::Fixed<7, 2>,
            c: ::zorb::codegen::LongDouble,
        ) -> ::zorb::Result<(Price, ::zorb::codegen::LongDouble)> {
            ::zorb::codegen::invoke!(
                self,
                total,
                [::zorb::codegen::Fixed<7, 2> => &a, ::zorb::codegen::Fixed<7, 2> => &b, ::zorb::codegen::LongDouble => &c],
                [::zorb::codegen::Fixed<7, 2>, ::zorb::codegen::LongDouble]
            )
        }

        /// The operation `swap`.
        pub fn swap(&self, d: &Derived) -> ::zorb::Result<(Derived, ::zorb::codegen::TypeCode)> {
            ::zorb::codegen::invoke!(
                self,
                swap,
                [Derived => d],
                [Derived, ::zorb::codegen::TypeCode]
            )
        }

        /// The operation `permit`.
        pub fn permit(&self, a: Access, h: &Header, s: i8) -> ::zorb::Result<(Access, i8)> {
            ::zorb::codegen::invoke!(
                self,
                permit,
                [Access => &a, Header => h, i8 => &s],
                [Access, i8]
            )
        }

        /// The operation `older`.
        pub fn older(&self, a: &Ages) -> ::zorb::Result<Ages> {
            ::zorb::codegen::invoke!(
                self,
                older,
                [::std::collections::BTreeMap<String, i32> => a],
                [::std::collections::BTreeMap<String, i32>]
            )
        }

        /// The operation `pick`.
        pub fn pick(&self, c: &Choice) -> ::zorb::Result<Choice> {
            ::zorb::codegen::invoke!(self, pick, [Choice => c], [Choice])
        }
    }

    /// Implement this to serve `Extended::Shop`.
    pub trait ShopServant: Send + Sync + 'static {
        /// The operation `total`.
        fn total(
            &self,
            a: Price,
            b: ::zorb::codegen::Fixed<7, 2>,
            c: ::zorb::codegen::LongDouble,
        ) -> ::zorb::Result<(Price, ::zorb::codegen::LongDouble)>;

        /// The operation `swap`.
        fn swap(&self, d: &Derived) -> ::zorb::Result<(Derived, ::zorb::codegen::TypeCode)>;

        /// The operation `permit`.
        fn permit(&self, a: Access, h: &Header, s: i8) -> ::zorb::Result<(Access, i8)>;

        /// The operation `older`.
        fn older(&self, a: &Ages) -> ::zorb::Result<Ages>;

        /// The operation `pick`.
        fn pick(&self, c: &Choice) -> ::zorb::Result<Choice>;
    }
    ::zorb::codegen::skeleton!(Shop, ShopServant, {
        0 "total" total(a: ::zorb::codegen::Fixed<7, 2> => a, b: ::zorb::codegen::Fixed<7, 2> => b, c: ::zorb::codegen::LongDouble => c)
            [result: ::zorb::codegen::Fixed<7, 2>, c_after: ::zorb::codegen::LongDouble],
        1 "swap" swap(d: Derived => &d) [result: Derived, kind: ::zorb::codegen::TypeCode],
        2 "permit" permit(a: Access => a, h: Header => &h, s: i8 => s)
            [result: Access, s_after: i8],
        3 "older" older(a: ::std::collections::BTreeMap<String, i32> => &a)
            [result: ::std::collections::BTreeMap<String, i32>],
        4 "pick" pick(c: Choice => &c) [result: Choice],
    });
}
