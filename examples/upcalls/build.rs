fn main() {
    zorb_build::compile("idl/flight.idl");
}
