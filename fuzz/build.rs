//! Compiles the IDL that the server and client targets call, and the types that both marshalling engines read and write.

#[path = "../tests/engines/compared.rs"]
mod compared;

fn main() {
    zorb_build::compile("idl/echo.idl");
    zorb_build::compile("idl/values.idl");
    zorb_build::compile("idl/views.idl");
    compared::compile("..");
    zorb_build::Config::new().target(zorb_build::Target::Nano).compile(&["idl/small.idl"]);
}
