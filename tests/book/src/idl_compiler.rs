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

/// A build script that leaves unwind tables out of a program whose panics abort.
pub fn without_unwind_tables() {
    // build.rs
    zorb_build::compile("idl/hello.idl");
    // In other profiles panics unwind.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        let folder = env!("CARGO_MANIFEST_DIR");
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
        println!("cargo::rustc-link-arg-bins=-Wl,--no-eh-frame-hdr");
        println!("cargo::rustc-link-arg-bins=-Wl,-T,{folder}/no-unwind-tables.ld");
    }
}
