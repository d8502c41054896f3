//! Links the C library, as `std` would.

fn main() {
    println!("cargo::rustc-link-arg-bins=-lc");
}
