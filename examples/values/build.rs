fn main() {
    zorb_build::compile("idl/archive.idl");
}
