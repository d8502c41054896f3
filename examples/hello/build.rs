fn main() {
    zorb_build::compile("idl/hello.idl");
}
