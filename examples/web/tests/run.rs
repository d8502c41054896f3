//! Runs the program as a user would.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// The program, which ends with this test.
struct Web {
    program: Child,
    address: String,
}

impl Web {
    fn start() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_web"));
        let mut program = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(program.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Self { program, address: address.trim().to_owned() }
    }

    /// The status of a page, and what it shows.
    fn page(&self, method: &str, path: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: shop\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        // It has ended, unless the test has failed.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[test]
fn pages_show_what_the_object_answers() {
    let mut web = Web::start();
    assert_eq!(web.page("GET", "/lamp"), (404, "lamp".to_owned()));
    assert_eq!(web.page("POST", "/lamp/deliver/2"), (200, "2".to_owned()));
    assert_eq!(web.page("POST", "/lamp/deliver/3"), (200, "5".to_owned()));
    assert_eq!(web.page("GET", "/lamp"), (200, "5".to_owned()));
    assert_eq!(web.page("GET", "/lamp/wait/60000"), (200, "5".to_owned()));
    // The page stops waiting, and the connection stays usable.
    assert_eq!(web.page("GET", "/chair/wait/50").0, 504);
    assert_eq!(web.page("GET", "/chair"), (404, "chair".to_owned()));
    // The object stops waiting, too.
    assert_eq!(web.page("POST", "/chair/deliver/1"), (200, "1".to_owned()));
    // Or when the program ends.
    assert_eq!(web.page("GET", "/table/wait/50").0, 504);
    drop(web.program.stdin.take());
    assert!(web.program.wait().unwrap().success());
}
