fn main() {
    zorb_build::compile("idl/avstream.idl");
}
