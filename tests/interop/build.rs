//! Compiles the IDL that all peers share.

fn main() {
    zorb_build::Config::new().include_path("idl").compile(&["idl/interop.idl"]);
}
