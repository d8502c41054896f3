//! References in messages that lead to local sockets.

use zorb_conformance::{Subject, check_local_sockets};
use zorb_testkit::short_folder;

#[test]
fn references_of_strangers_lead_to_no_socket_of_another_program() {
    for url in ["uiop://", "shmiop://"] {
        let name = format!("zorb-strangers-{}", std::process::id());
        let folder = short_folder().join(name);
        std::fs::create_dir(&folder).unwrap();
        check_local_sockets(&Subject::at(url), &folder);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
