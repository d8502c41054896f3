// Serves Param_Test. The servant does next to nothing, so that its own code hardly counts.
// A part of the programs of this name: `idl` is the generated code.

use std::hint::black_box;

use idl::{FixedStruct, NestedStruct, ParamTest, ParamTestServant, VarStruct};

struct Servant;

/// The arguments are used, and the results are unknown to the compiler.
fn answer<A, R: Default>(arguments: A) -> zorb::Result<R> {
    black_box(arguments);
    Ok(black_box(R::default()))
}

impl ParamTestServant for Servant {
    fn ping(&self) -> zorb::Result<()> {
        Ok(())
    }

    fn test_short(&self, s1: i16, s2: i16) -> zorb::Result<(i16, i16, i16)> {
        answer((s1, s2))
    }

    fn test_unbounded_string(&self, s1: &str, s2: &str) -> zorb::Result<(String, String, String)> {
        answer((s1, s2))
    }

    fn test_fixed_struct(
        &self,
        s1: &FixedStruct,
        s2: &FixedStruct,
    ) -> zorb::Result<(FixedStruct, FixedStruct, FixedStruct)> {
        answer((s1, s2))
    }

    fn test_strseq(
        &self,
        s1: &[String],
        s2: &[String],
    ) -> zorb::Result<(Vec<String>, Vec<String>, Vec<String>)> {
        answer((s1, s2))
    }

    fn test_var_struct(
        &self,
        s1: &VarStruct,
        s2: &VarStruct,
    ) -> zorb::Result<(VarStruct, VarStruct, VarStruct)> {
        answer((s1, s2))
    }

    fn test_nested_struct(
        &self,
        s1: &NestedStruct,
        s2: &NestedStruct,
    ) -> zorb::Result<(NestedStruct, NestedStruct, NestedStruct)> {
        answer((s1, s2))
    }

    fn test_struct_sequence(
        &self,
        s1: &[VarStruct],
        s2: &[VarStruct],
    ) -> zorb::Result<(Vec<VarStruct>, Vec<VarStruct>, Vec<VarStruct>)> {
        answer((s1, s2))
    }
}

fn main() -> Result<(), zorb::Error> {
    let orb = zorb::Orb::builder().listen("iiop://127.0.0.1:2809").build()?;
    let target: ParamTest = orb.root_poa().activate(Servant)?;
    orb.publish("param_test", &target)?;
    orb.run()
}
