// Makes each call of Param_Test once.
// A part of the programs of this name: `idl` is the generated code.

use std::hint::black_box;

use idl::{FixedStruct, NestedStruct, ParamTest, VarStruct};

#[derive(Default)]
struct Arguments {
    short: i16,
    string: String,
    fixed: FixedStruct,
    strings: Vec<String>,
    var: VarStruct,
    nested: NestedStruct,
    structs: Vec<VarStruct>,
}

fn main() -> Result<(), zorb::Error> {
    let orb = zorb::Orb::new()?;
    let target: ParamTest = orb.resolve("corbaloc::127.0.0.1:2809/param_test")?;
    target.ping()?;
    let a = black_box(Arguments::default());
    black_box(target.test_short(a.short, a.short)?);
    black_box(target.test_unbounded_string(&a.string, &a.string)?);
    black_box(target.test_fixed_struct(&a.fixed, &a.fixed)?);
    black_box(target.test_strseq(&a.strings, &a.strings)?);
    black_box(target.test_var_struct(&a.var, &a.var)?);
    black_box(target.test_nested_struct(&a.nested, &a.nested)?);
    black_box(target.test_struct_sequence(&a.structs, &a.structs)?);
    Ok(())
}
