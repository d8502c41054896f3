//! Compiles the standard's IDL.

use zorb_build::{Config, Marshal};

fn main() {
    // Small and quick to build: of its 244 operations, inherited ones included, a program calls few, and none often.
    Config::new().marshal(Marshal::Interpretive).compile(&["../../idl/InterfaceRepository.idl"]);
}
