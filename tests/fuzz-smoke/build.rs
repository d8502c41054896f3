//! Compiles the IDL that the server and client targets call, and the types that both marshalling engines read and write.

#[path = "../engines/compared.rs"]
mod compared;

fn main() {
    zorb_build::compile("../../fuzz/idl/echo.idl");
    zorb_build::compile("../../fuzz/idl/values.idl");
    zorb_build::compile("../../fuzz/idl/views.idl");
    compared::compile("../..");
    let small = "../../fuzz/idl/small.idl";
    zorb_build::Config::new().target(zorb_build::Target::Nano).compile(&[small]);
}
