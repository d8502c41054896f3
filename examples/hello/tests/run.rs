//! Runs the two programs as a user would.

mod programs;

#[test]
fn the_client_is_greeted_and_the_server_ends_orderly() {
    let (server, client) = (env!("CARGO_BIN_EXE_hello-server"), env!("CARGO_BIN_EXE_hello-client"));
    // As a service manager ends it, and Ctrl-C.
    for signal in ["TERM", "INT"] {
        assert_eq!(programs::said_to(server, client, 2809, signal), "Hello Rust!\n");
    }
}
