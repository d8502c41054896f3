//! Compiles the IDL that the peers share.

fn main() {
    zorb_build::Config::new().include_path("idl").compile(&["idl/interop.idl", "idl/random.idl"]);
}
