//! Compiles the service's IDL.

fn main() {
    zorb_build::compile("../../idl/RtecScheduler.idl");
}
