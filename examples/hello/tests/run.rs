//! Runs the two programs as a user would.

mod programs;

#[test]
fn the_client_is_greeted() {
    let (server, client) = (env!("CARGO_BIN_EXE_hello-server"), env!("CARGO_BIN_EXE_hello-client"));
    assert_eq!(programs::said_to(server, client, 2809), "Hello Rust!\n");
}
