//! Build scripts with options.

/// A build script of a program with two IDL files and one from elsewhere.
pub fn build_script() {
    zorb_build::Config::new()
        .include_path("idl")
        .include_path("../../idl")
        .define_as("VERSION", "2")
        .extern_module("CosNaming", "::zorb_naming::cos_naming")
        .compile(&["idl/shop.idl", "idl/stock.idl"]);
}

/// A build script that compiles what the program uses most.
pub fn by_profile() {
    // build.rs
    zorb_build::Config::new()
        .marshal(zorb_build::Marshal::Profile)
        .usage_file("idl/client.usage")
        .usage_file("idl/server.usage")
        .compile(&["idl/shop.idl"]);
}
