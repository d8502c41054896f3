// Made from IDL by Zorb. Change the IDL instead: changes here are lost.
/// Every data type, in every place a type can stand.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub mod types {
    /// The IDL const `Types::FLAG`.
    pub const FLAG: bool = true;

    /// The IDL const `Types::SMALL`.
    pub const SMALL: u8 = 255;

    /// The IDL const `Types::LEAST`.
    pub const LEAST: i16 = -32768;

    /// The IDL const `Types::PORT`.
    pub const PORT: u16 = 2809;

    /// The IDL const `Types::MASK`.
    pub const MASK: u32 = 4294967295;

    /// The IDL const `Types::LEAST_LONG_LONG`.
    pub const LEAST_LONG_LONG: i64 = -9223372036854775808;

    /// The IDL const `Types::MOST`.
    pub const MOST: u64 = 18446744073709551615;

    /// The IDL const `Types::TENTH`.
    pub const TENTH: f32 = 0.1;

    /// The IDL const `Types::AVOGADRO`.
    pub const AVOGADRO: f64 = 6.022e23;

    /// The IDL const `Types::LETTER`.
    pub const LETTER: char = '\n';

    /// The IDL const `Types::WIDE_LETTER`.
    pub const WIDE_LETTER: char = 'ω';

    /// The IDL const `Types::GREETING`.
    pub const GREETING: &str = "say \"hi\"\n";

    /// The IDL const `Types::WIDE_GREETING`.
    pub const WIDE_GREETING: &str = "grüß";

    /// The IDL const `Types::SIZE`.
    pub const SIZE: u32 = 8;

    /// The IDL enum `Types::Colour`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u32)]
    pub enum Colour {
        /// The value `RED`.
        Red,
        /// The value `GREEN`.
        Green,
        /// The value `dark_blue`.
        DarkBlue,
    }
    ::zorb::codegen::enumeration!(Colour, "IDL:Types/Colour:1.0", "Colour", {
        Red = "RED", Green = "GREEN", DarkBlue = "dark_blue",
    });

    /// The IDL const `Types::FAVOURITE`.
    pub const FAVOURITE: Colour = Colour::DarkBlue;

    /// The IDL struct `Types::Basics`.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Basics {
        /// The member `flag`.
        pub flag: bool,
        /// The member `small`.
        pub small: u8,
        /// The member `letter`.
        pub letter: char,
        /// The member `wide`.
        pub wide: char,
        /// The member `s`.
        pub s: i16,
        /// The member `us`.
        pub us: u16,
        /// The member `l`.
        pub l: i32,
        /// The member `ul`.
        pub ul: u32,
        /// The member `ll`.
        pub ll: i64,
        /// The member `ull`.
        pub ull: u64,
        /// The member `f`.
        pub f: f32,
        /// The member `d`.
        pub d: f64,
    }
    ::zorb::codegen::structure!(Basics, "IDL:Types/Basics:1.0", "Basics", {
        flag: bool = "flag", small: u8 = "small", letter: char = "letter",
        wide: ::zorb::codegen::WChar = "wide", s: i16 = "s", us: u16 = "us", l: i32 = "l",
        ul: u32 = "ul", ll: i64 = "ll", ull: u64 = "ull", f: f32 = "f", d: f64 = "d",
    });

    /// The IDL struct `Types::Whole`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Whole {
        /// The member `id`.
        pub id: i32,
        /// The member `hue`.
        pub hue: Colour,
        /// The member `cells`.
        pub cells: [i16; 3],
    }
    ::zorb::codegen::structure!(Whole, "IDL:Types/Whole:1.0", "Whole", {
        id: i32 = "id", hue: Colour = "hue", cells: [i16; 3] = "cells",
    });

    /// The IDL typedef `Types::ShortName`.
    pub type ShortName = String;
    ::zorb::codegen::typedef!(
        ShortNameAlias,
        "IDL:Types/ShortName:1.0",
        "ShortName",
        ::zorb::codegen::Bounded<String, 8>
    );

    /// The IDL typedef `Types::WideName`.
    pub type WideName = String;
    ::zorb::codegen::typedef!(
        WideNameAlias,
        "IDL:Types/WideName:1.0",
        "WideName",
        ::zorb::codegen::WString
    );

    /// The IDL typedef `Types::Blob`.
    pub type Blob = Vec<u8>;
    ::zorb::codegen::typedef!(BlobAlias, "IDL:Types/Blob:1.0", "Blob", ::zorb::codegen::Octets);

    /// The IDL typedef `Types::Key`.
    pub type Key = Vec<u8>;
    ::zorb::codegen::typedef!(
        KeyAlias,
        "IDL:Types/Key:1.0",
        "Key",
        ::zorb::codegen::Bounded<::zorb::codegen::Octets, 16>
    );

    /// The IDL typedef `Types::Matrix`.
    pub type Matrix = [[i32; 3]; 2];
    ::zorb::codegen::typedef!(MatrixAlias, "IDL:Types/Matrix:1.0", "Matrix", [[i32; 3]; 2]);

    /// The IDL typedef `Types::Matrices`.
    pub type Matrices = Vec<Matrix>;
    ::zorb::codegen::typedef!(
        MatricesAlias,
        "IDL:Types/Matrices:1.0",
        "Matrices",
        Vec<MatrixAlias>
    );

    /// The IDL typedef `Types::Names`.
    pub type Names = Vec<ShortName>;
    ::zorb::codegen::typedef!(
        NamesAlias,
        "IDL:Types/Names:1.0",
        "Names",
        ::zorb::codegen::Bounded<Vec<ShortNameAlias>, 4>
    );

    /// The IDL typedef `Types::Id`.
    pub type Id = i32;
    ::zorb::codegen::typedef!(IdAlias, "IDL:Types/Id:1.0", "Id", i32);

    /// The IDL typedef `Types::Alias`.
    pub type Alias = Id;
    ::zorb::codegen::typedef!(AliasAlias, "IDL:Types/Alias:1.0", "Alias", IdAlias);

    /// The IDL struct `Types::Texts`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Texts {
        /// The member `free`.
        pub free: String,
        /// The member `bounded`.
        pub bounded: String,
        /// The member `wide`.
        pub wide: String,
        /// The member `wide_bounded`.
        pub wide_bounded: String,
        /// The member `name`.
        pub name: ShortName,
        /// The member `wide_name`.
        pub wide_name: WideName,
    }
    ::zorb::codegen::structure!(Texts, "IDL:Types/Texts:1.0", "Texts", {
        free: String = "free", bounded: ::zorb::codegen::Bounded<String, 8> = "bounded",
        wide: ::zorb::codegen::WString = "wide",
        wide_bounded: ::zorb::codegen::Bounded<::zorb::codegen::WString, 5> = "wide_bounded",
        name: ShortNameAlias = "name", wide_name: WideNameAlias = "wide_name",
    });

    /// The IDL struct `Types::Collections`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Collections {
        /// The member `numbers`.
        pub numbers: Vec<i32>,
        /// The member `words`.
        pub words: Vec<String>,
        /// The member `wide_words`.
        pub wide_words: Vec<String>,
        /// The member `nested`.
        pub nested: Vec<Vec<bool>>,
        /// The member `octets`.
        pub octets: Blob,
        /// The member `short_octets`.
        pub short_octets: Key,
        /// The member `table`.
        pub table: Matrix,
        /// The member `tables`.
        pub tables: Matrices,
        /// The member `titles`.
        pub titles: Names,
        /// The member `wholes`.
        pub wholes: [Whole; 2],
        /// The member `ids`.
        pub ids: [Alias; 40],
    }
    ::zorb::codegen::structure!(Collections, "IDL:Types/Collections:1.0", "Collections", {
        numbers: Vec<i32> = "numbers", words: ::zorb::codegen::Bounded<Vec<String>, 3> = "words",
        wide_words: Vec<::zorb::codegen::WString> = "wide_words", nested: Vec<Vec<bool>> = "nested",
        octets: BlobAlias = "octets", short_octets: KeyAlias = "short_octets",
        table: MatrixAlias = "table", tables: MatricesAlias = "tables",
        titles: NamesAlias = "titles", wholes: [Whole; 2] = "wholes", ids: [AliasAlias; 40] = "ids",
    });

    /// A tree, which holds itself.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Node {
        /// The member `label`.
        pub label: String,
        /// The member `children`.
        pub children: Vec<Node>,
    }
    ::zorb::codegen::structure!(recursive Node, "IDL:Types/Node:1.0", "Node", {
        label: String = "label", children: Vec<Node> = "children",
    });

    /// The IDL struct `Types::Outer`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Outer {
        /// The member `within`.
        pub within: outer::Inner,
        /// The member `sort`.
        pub sort: outer::Kind,
    }
    ::zorb::codegen::structure!(Outer, "IDL:Types/Outer:1.0", "Outer", {
        within: outer::Inner = "within", sort: outer::Kind = "sort",
    });

    /// What is defined inside `Types::Outer`.
    pub mod outer {
        /// The IDL struct `Types::Outer::Inner`.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct Inner {
            /// The member `x`.
            pub x: i32,
        }
        ::zorb::codegen::structure!(Inner, "IDL:Types/Outer/Inner:1.0", "Inner", { x: i32 = "x" });

        /// The IDL enum `Types::Outer::Kind`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        pub enum Kind {
            /// The value `SOFT`.
            Soft,
            /// The value `HARD`.
            Hard,
        }
        ::zorb::codegen::enumeration!(Kind, "IDL:Types/Outer/Kind:1.0", "Kind", {
            Soft = "SOFT", Hard = "HARD",
        });
    }

    /// The IDL exception `Types::Failed`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Failed {
        /// The member `reason`.
        pub reason: String,
        /// The member `detail`.
        pub detail: outer::Inner,
    }
    ::zorb::codegen::exception!(Failed, "IDL:Types/Failed:1.0", "Failed", {
        reason: String = "reason", detail: outer::Inner = "detail",
    });

    /// A reference to an object of the IDL interface `Types::All`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct All(::zorb::ObjectRef);
    ::zorb::codegen::interface!(All(::zorb::ObjectRef), "IDL:Types/All:1.0", "All", []);
    impl All {
        /// The operation `nothing`.
        pub fn nothing(&self) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(self, nothing, [], [])
        }

        /// The operation `flags`.
        pub fn flags(&self, a: bool, b: u8) -> ::zorb::Result<(bool, u8, char)> {
            ::zorb::codegen::invoke!(self, flags, [bool => &a, u8 => &b], [bool, u8, char])
        }

        /// The operation `wides`.
        pub fn wides(&self, a: char, b: char) -> ::zorb::Result<(char, char)> {
            ::zorb::codegen::invoke!(
                self,
                wides,
                [::zorb::codegen::WChar => &a, ::zorb::codegen::WChar => &b],
                [::zorb::codegen::WChar, ::zorb::codegen::WChar]
            )
        }

        /// The operation `numbers`.
        pub fn numbers(&self, a: i16, b: u32, c: i64, d: f32, e: f64) -> ::zorb::Result<u64> {
            ::zorb::codegen::invoke!(
                self,
                numbers,
                [i16 => &a, u32 => &b, i64 => &c, f32 => &d, f64 => &e],
                [u64]
            )
        }

        /// The operation `colours`.
        pub fn colours(&self, a: Colour, b: Colour) -> ::zorb::Result<(Colour, Colour, Colour)> {
            ::zorb::codegen::invoke!(
                self,
                colours,
                [Colour => &a, Colour => &b],
                [Colour, Colour, Colour]
            )
        }

        /// The operation `texts`.
        pub fn texts(
            &self,
            a: &str,
            b: &str,
            d: &str,
        ) -> ::zorb::Result<(String, ShortName, String)> {
            ::zorb::codegen::invoke!(
                self,
                texts,
                [String => a, ::zorb::codegen::Bounded<String, 8> => b, ::zorb::codegen::WString => d],
                [String, ::zorb::codegen::Bounded<String, 8>, ::zorb::codegen::WString]
            )
        }

        /// The operation `blobs`.
        pub fn blobs(&self, a: &[u8], b: &[u8]) -> ::zorb::Result<(Blob, Key, Blob)> {
            ::zorb::codegen::invoke!(
                self,
                blobs,
                [::zorb::codegen::Octets => a, ::zorb::codegen::Bounded<::zorb::codegen::Octets, 16> => b],
                [::zorb::codegen::Octets, ::zorb::codegen::Bounded<::zorb::codegen::Octets, 16>, ::zorb::codegen::Octets]
            )
        }

        /// The operation `sequences`.
        pub fn sequences(
            &self,
            a: &[i32],
            b: &[ShortName],
        ) -> ::zorb::Result<(Vec<i32>, Names, Matrices), all::SequencesError> {
            ::zorb::codegen::invoke!(
                self,
                sequences,
                [Vec<i32> => a, ::zorb::codegen::Bounded<Vec<::zorb::codegen::Bounded<String, 8>>, 4> => b],
                [Vec<i32>, ::zorb::codegen::Bounded<Vec<::zorb::codegen::Bounded<String, 8>>, 4>, Vec<[[i32; 3]; 2]>]
            )
        }

        /// The operation `arrays`.
        pub fn arrays(&self, a: &Matrix, b: &Matrix) -> ::zorb::Result<(Matrix, Matrix, Matrix)> {
            ::zorb::codegen::invoke!(
                self,
                arrays,
                [[[i32; 3]; 2] => a, [[i32; 3]; 2] => b],
                [[[i32; 3]; 2], [[i32; 3]; 2], [[i32; 3]; 2]]
            )
        }

        /// The operation `trees`.
        pub fn trees(&self, a: &Node, b: &Basics) -> ::zorb::Result<(Node, Basics, Collections)> {
            ::zorb::codegen::invoke!(
                self,
                trees,
                [Node => a, Basics => b],
                [Node, Basics, Collections]
            )
        }

        /// The operation `nested`.
        pub fn nested(
            &self,
            a: &all::Near,
            b: &[all::Near],
        ) -> ::zorb::Result<all::Nearby, all::NestedError> {
            ::zorb::codegen::invoke!(
                self,
                nested,
                [all::Near => a, Vec<all::Near> => b],
                [Vec<all::Near>]
            )
        }
    }

    /// Implement this to serve `Types::All`.
    pub trait AllServant: Send + Sync + 'static {
        /// The operation `nothing`.
        fn nothing(&self) -> ::zorb::Result<()>;

        /// The operation `flags`.
        fn flags(&self, a: bool, b: u8) -> ::zorb::Result<(bool, u8, char)>;

        /// The operation `wides`.
        fn wides(&self, a: char, b: char) -> ::zorb::Result<(char, char)>;

        /// The operation `numbers`.
        fn numbers(&self, a: i16, b: u32, c: i64, d: f32, e: f64) -> ::zorb::Result<u64>;

        /// The operation `colours`.
        fn colours(&self, a: Colour, b: Colour) -> ::zorb::Result<(Colour, Colour, Colour)>;

        /// The operation `texts`.
        fn texts(&self, a: &str, b: &str, d: &str) -> ::zorb::Result<(String, ShortName, String)>;

        /// The operation `blobs`.
        fn blobs(&self, a: &[u8], b: &[u8]) -> ::zorb::Result<(Blob, Key, Blob)>;

        /// The operation `sequences`.
        fn sequences(
            &self,
            a: &[i32],
            b: &[ShortName],
        ) -> ::zorb::Result<(Vec<i32>, Names, Matrices), all::SequencesError>;

        /// The operation `arrays`.
        fn arrays(&self, a: &Matrix, b: &Matrix) -> ::zorb::Result<(Matrix, Matrix, Matrix)>;

        /// The operation `trees`.
        fn trees(&self, a: &Node, b: &Basics) -> ::zorb::Result<(Node, Basics, Collections)>;

        /// The operation `nested`.
        fn nested(
            &self,
            a: &all::Near,
            b: &[all::Near],
        ) -> ::zorb::Result<all::Nearby, all::NestedError>;
    }
    ::zorb::codegen::skeleton!(All, AllServant, {
        0 "nothing" nothing() [],
        1 "flags" flags(a: bool => a, b: u8 => b) [result: bool, b_after: u8, c: char],
        2 "wides" wides(a: ::zorb::codegen::WChar => a, b: ::zorb::codegen::WChar => b)
            [result: ::zorb::codegen::WChar, b_after: ::zorb::codegen::WChar],
        3 "numbers" numbers(a: i16 => a, b: u32 => b, c: i64 => c, d: f32 => d, e: f64 => e)
            [result: u64],
        4 "colours" colours(a: Colour => a, b: Colour => b)
            [result: Colour, b_after: Colour, c: Colour],
        5 "texts" texts(a: String => &a, b: ::zorb::codegen::Bounded<String, 8> => &b, d: ::zorb::codegen::WString => &d)
            [result: String, b_after: ::zorb::codegen::Bounded<String, 8>, c: ::zorb::codegen::WString],
        6 "blobs" blobs(a: ::zorb::codegen::Octets => a, b: ::zorb::codegen::Bounded<::zorb::codegen::Octets, 16> => b)
            [result: ::zorb::codegen::Octets, b_after: ::zorb::codegen::Bounded<::zorb::codegen::Octets, 16>, c: ::zorb::codegen::Octets],
        7 "sequences" sequences(a: Vec<i32> => &a, b: ::zorb::codegen::Bounded<Vec<::zorb::codegen::Bounded<String, 8>>, 4> => &b)
            [result: Vec<i32>, b_after: ::zorb::codegen::Bounded<Vec<::zorb::codegen::Bounded<String, 8>>, 4>, c: Vec<[[i32; 3]; 2]>],
        8 "arrays" arrays(a: [[i32; 3]; 2] => &a, b: [[i32; 3]; 2] => &b)
            [result: [[i32; 3]; 2], b_after: [[i32; 3]; 2], c: [[i32; 3]; 2]],
        9 "trees" trees(a: Node => &a, b: Basics => &b)
            [result: Node, b_after: Basics, c: Collections],
        10 "nested" nested(a: all::Near => &a, b: Vec<all::Near> => &b) [result: Vec<all::Near>],
    });

    /// What belongs to the interface `Types::All`.
    pub mod all {
        /// The IDL const `Types::All::LIMIT`.
        pub const LIMIT: i32 = 10;

        /// The IDL struct `Types::All::Near`.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct Near {
            /// The member `x`.
            pub x: i32,
        }
        ::zorb::codegen::structure!(Near, "IDL:Types/All/Near:1.0", "Near", { x: i32 = "x" });

        /// The IDL typedef `Types::All::Nearby`.
        pub type Nearby = Vec<Near>;
        ::zorb::codegen::typedef!(NearbyAlias, "IDL:Types/All/Nearby:1.0", "Nearby", Vec<Near>);

        /// The IDL exception `Types::All::Refused`.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct Refused {
            /// The member `why`.
            pub why: Near,
        }
        ::zorb::codegen::exception!(Refused, "IDL:Types/All/Refused:1.0", "Refused", {
            why: Near = "why",
        });
        ::zorb::codegen::raises!(SequencesError, "Types::All::sequences", {
            Failed(super::Failed), Refused(Refused),
        });
        ::zorb::codegen::raises!(NestedError, "Types::All::nested", { Refused(Refused) });
    }
}
