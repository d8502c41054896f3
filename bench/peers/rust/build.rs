//! Compiles the interfaces of the peers: that of tonic without `protoc`, that of Cap'n Proto with `capnp`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "capnp")]
    capnp();
    #[cfg(feature = "tonic")]
    tonic();
}

#[cfg(feature = "capnp")]
fn capnp() {
    println!("cargo::rerun-if-changed=bench.capnp");
    if let Err(error) = capnpc::CompilerCommand::new().file("bench.capnp").run() {
        println!("cargo::error={error}");
    }
}

#[cfg(feature = "tonic")]
fn tonic() {
    use tonic_build::manual::{Builder, Method, Service};

    let ping = Method::builder()
        .name("ping")
        .route_name("Ping")
        .input_type("crate::Nothing")
        .output_type("crate::Nothing")
        .codec_path("tonic_prost::ProstCodec")
        .build();
    let suite = Service::builder().name("Suite").package("bench").method(ping).build();
    Builder::new().compile(&[suite]);
}
