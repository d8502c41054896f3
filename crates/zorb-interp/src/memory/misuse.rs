//! Safe code cannot make a table of another type: what the macros reject, each beside what they accept.

/// Documentation tests; code with `compile_fail` must not compile.
macro_rules! tables {
    ($(#[$($kind:ident)?] $name:ident $code:literal)*) => {$(
        #[doc = concat!("```", $(stringify!($kind),)? r#"
use zorb_cdr::{CdrReader, CdrResult, CdrWriter, Wire};
use zorb_interp::{Table, Tabled, enum_table, struct_table};

macro_rules! wire {
    ($name:ty, $value:ty, $borrowed:ty) => {
        impl Wire for $name {
            type Value = $value;
            type View = $value;
            type Borrowed<'a> = $borrowed;
            const MIN_SIZE: usize = 4;
            fn view(value: &$value) -> &$value { value }
            fn write(_: &$value, _: &mut CdrWriter<'_>) -> CdrResult<()> { Ok(()) }
            fn read(_: &mut CdrReader<'_>) -> CdrResult<$value> { unreachable!() }
            fn read_borrowed<'a>(_: &mut CdrReader<'a>) -> CdrResult<$borrowed> { unreachable!() }
        }
    };
}
"#, $code, "\n```")]
        struct $name;
    )*};
}

tables! {
    #[] Accepted "
        #[derive(Clone)] struct Money { cents: i32 }
        #[derive(Clone, Copy)] #[repr(u32)] enum Unit { Eur, Usd }
        wire!(Money, Money, Money);
        wire!(Unit, Unit, Unit);
        impl Tabled for Money { const TABLE: Table<Self> = struct_table!(Money { cents: i32 }); }
        impl Tabled for Unit { const TABLE: Table<Self> = enum_table!(Unit \"Unit\" { Eur, Usd }); }
    "
    #[compile_fail] OfAnotherStruct "
        #[derive(Clone)] struct Money { cents: i32 }
        #[derive(Clone)] struct Other { text: String }
        wire!(Money, Money, Money);
        wire!(Other, Other, Other);
        impl Tabled for Other { const TABLE: Table<Self> = struct_table!(Money { cents: i32 }); }
    "
    #[compile_fail] OfAnotherEnum "
        #[derive(Clone, Copy)] #[repr(u32)] enum Unit { Eur, Usd }
        #[derive(Clone, Copy)] #[repr(u32)] enum Other { One }
        wire!(Unit, Unit, Unit);
        wire!(Other, Other, Other);
        impl Tabled for Other { const TABLE: Table<Self> = enum_table!(Unit \"Unit\" { Eur, Usd }); }
    "
    #[compile_fail] WithOtherValues "
        #[derive(Clone)] struct Money { cents: i32 }
        wire!(Money, String, Money);
        impl Tabled for Money { const TABLE: Table<Self> = struct_table!(Money { cents: i32 }); }
    "
    #[compile_fail] WithOtherBorrowedValues "
        #[derive(Clone)] struct Money { cents: i32 }
        wire!(Money, Money, &'a str);
        impl Tabled for Money { const TABLE: Table<Self> = struct_table!(Money { cents: i32 }); }
    "
    #[compile_fail] OfAnEnumWithOtherBorrowedValues "
        #[derive(Clone, Copy)] #[repr(u32)] enum Unit { Eur, Usd }
        wire!(Unit, Unit, &'a str);
        impl Tabled for Unit { const TABLE: Table<Self> = enum_table!(Unit \"Unit\" { Eur, Usd }); }
    "
    #[compile_fail] FieldThatDereferencesToItsType "
        #[derive(Clone)] struct Money { cents: Box<i32> }
        wire!(Money, Money, Money);
        impl Tabled for Money { const TABLE: Table<Self> = struct_table!(Money { cents: i32 }); }
    "
    #[compile_fail] FieldOfASubtype "
        struct Function;
        wire!(Function, fn(&'static u8), fn(&'static u8));
        impl Tabled for Function {}
        #[derive(Clone)] struct Money { function: for<'b> fn(&'b u8) }
        wire!(Money, Money, Money);
        impl Tabled for Money {
            const TABLE: Table<Self> = struct_table!(Money { function: Function });
        }
    "
    #[compile_fail] FieldThatIsMissing "
        #[derive(Clone)] struct Money { cents: i32, unit: String }
        wire!(Money, Money, Money);
        impl Tabled for Money { const TABLE: Table<Self> = struct_table!(Money { cents: i32 }); }
    "
    #[compile_fail] PackedStruct "
        #[derive(Clone, Copy)] #[repr(packed)] struct Money { octet: u8, cents: i32 }
        wire!(Money, Money, Money);
        impl Tabled for Money {
            const TABLE: Table<Self> = struct_table!(Money { octet: u8, cents: i32 });
        }
    "
    #[] AcceptedUnion "
        #[derive(Clone)] enum Fee { Flat(i32), Rate { label: u8, value: String } }
        impl Fee { fn discriminant(&self) -> u8 { 1 } }
        fn select(_: &u8) -> usize { 0 }
        wire!(Fee, Fee, Fee);
        impl Tabled for Fee { const TABLE: Table<Self> = Table::choice(); }
        const _: () = {
            zorb_interp::union_choice!(Fee \"Fee\" false (u8) select { Flat(i32), Rate { String } });
        };
    "
    #[compile_fail] UnionWithAnotherPayload "
        #[derive(Clone)] enum Fee { Flat(i64), Rate { label: u8, value: String } }
        impl Fee { fn discriminant(&self) -> u8 { 1 } }
        fn select(_: &u8) -> usize { 0 }
        wire!(Fee, Fee, Fee);
        impl Tabled for Fee { const TABLE: Table<Self> = Table::choice(); }
        const _: () = {
            zorb_interp::union_choice!(Fee \"Fee\" false (u8) select { Flat(i32), Rate { String } });
        };
    "
    #[compile_fail] UnionWithAVariantThatIsMissing "
        #[derive(Clone)] enum Fee { Flat(i32), Rate { label: u8, value: String } }
        impl Fee { fn discriminant(&self) -> u8 { 1 } }
        fn select(_: &u8) -> usize { 0 }
        wire!(Fee, Fee, Fee);
        impl Tabled for Fee { const TABLE: Table<Self> = Table::choice(); }
        const _: () = { zorb_interp::union_choice!(Fee \"Fee\" false (u8) select { Flat(i32) }); };
    "
    #[compile_fail] UnionWithAVariantThatDoesNotExist "
        #[derive(Clone)] enum Fee { Flat(i32), Rate { label: u8, value: String } }
        impl Fee { fn discriminant(&self) -> u8 { 1 } }
        fn select(_: &u8) -> usize { 0 }
        wire!(Fee, Fee, Fee);
        impl Tabled for Fee { const TABLE: Table<Self> = Table::choice(); }
        const _: () = {
            zorb_interp::union_choice!(Fee \"Fee\" false (u8) select { None, Flat(i32), Rate { String } });
        };
    "
    #[] AcceptedError "
        #[derive(Clone)] struct Money { cents: i32 }
        wire!(Money, Money, Money);
        impl Tabled for Money { const TABLE: Table<Self> = struct_table!(Money { cents: i32 }); }
        zorb_interp::raised!(derive(Clone) \"Errors.\" => Failed {
            \"One.\" => Money(Money) = \"IDL:Money:1.0\",
        } \"Others.\" => Other(String));
    "
    #[compile_fail] ErrorWithOtherValues "
        struct Money { cents: i32 }
        wire!(Money, String, String);
        impl Tabled for Money {}
        zorb_interp::raised!(derive() \"Errors.\" => Failed {
            \"One.\" => Money(Money) = \"IDL:Money:1.0\",
        } \"Others.\" => Other(String));
    "
    #[compile_fail] ErrorThatIsNoneOfTheOthers "
        struct Failed;
        impl zorb_interp::Raised for Failed {
            type Other = String;
            const CLAUSE: zorb_interp::Clause<Self> = zorb_interp::Clause::none();
        }
    "
    #[compile_fail] ConvertedTable "
        fn longer<'a>(table: Table<&'a u8>) -> Table<&'static u8> { table }
    "
    #[compile_fail] EnumOfAnotherSize "
        #[derive(Clone, Copy)] #[repr(u8)] enum Unit { Eur, Usd }
        wire!(Unit, Unit, Unit);
        impl Tabled for Unit { const TABLE: Table<Self> = enum_table!(Unit \"Unit\" { Eur, Usd }); }
    "
    #[compile_fail] EnumOfAnotherSizeUnderTheNamesOfPrimitiveTypes "
        #[derive(Clone, Copy)] #[repr(u8)] enum Unit { Eur, Usd }
        wire!(Unit, Unit, Unit);
        type Byte = u8;
        const _: () = {
            #[allow(non_camel_case_types)] type u32 = Byte;
            #[allow(unused_macros)] macro_rules! assert { ($($condition:tt)*) => {} }
            #[allow(dead_code)] const fn size_of<T>() -> usize { 4 }
            impl Tabled for Unit {
                const TABLE: Table<Self> = enum_table!(Unit \"Unit\" { Eur, Usd });
            }
        };
    "
    #[compile_fail] EnumWithOtherDiscriminants "
        #[derive(Clone, Copy)] #[repr(u32)] enum Unit { Eur = 1, Usd = 0 }
        wire!(Unit, Unit, Unit);
        impl Tabled for Unit { const TABLE: Table<Self> = enum_table!(Unit \"Unit\" { Eur, Usd }); }
    "
    #[compile_fail] OffsetOfMoreThan32Bits "
        const MEMBER: zorb_interp::Member = zorb_interp::Member::new::<i32>(1 << 32);
    "
}
