//! Runs the two programs as a user would.

#[path = "../../hello/tests/programs/mod.rs"]
mod programs;

#[test]
fn values_go_there_and_come_back() {
    let (server, client) =
        (env!("CARGO_BIN_EXE_values-server"), env!("CARGO_BIN_EXE_values-client"));
    let expected = "\"A report\", which refers to 2 of 1845\n- A report (1845)\n- The law\n- An essay: \
                    read it twice\n";
    assert_eq!(programs::said_to(server, client, 2810, "TERM"), expected);
}
