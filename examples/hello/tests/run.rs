//! Runs the two programs as a user would.

mod programs;

#[test]
fn the_client_is_greeted() {
    let (server, client) = (env!("CARGO_BIN_EXE_hello-server"), env!("CARGO_BIN_EXE_hello-client"));
    if let Some(said) = programs::said_to(server, client, 2809) {
        assert_eq!(said, "Hello Rust!\n");
    }
}
