//! Compiles the IDL that the server and client targets call.

fn main() {
    zorb_build::compile("idl/echo.idl");
    zorb_build::compile("idl/values.idl");
}
