//! Compiles the IDL that the server and client targets call.

fn main() {
    zorb_build::compile("../../fuzz/idl/echo.idl");
    zorb_build::compile("../../fuzz/idl/values.idl");
}
