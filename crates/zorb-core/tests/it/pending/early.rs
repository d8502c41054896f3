//! Servers that answer, close or hang up before they have taken the whole of a request.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::send_twice;
use crate::sharing::{answer, closing, read_requests, scripted_for};
use crate::support::builder;
use zorb_cdr::Wire;
use zorb_core::{ObjectRef, Pending};
use zorb_giop::HEADER_SIZE;

/// More than the system's buffers of a connection can take.
const LARGE: usize = 24 << 20;

/// What a server does when it has received the id of a large request.
#[derive(Clone, Copy, Debug)]
enum Then {
    Answers,
    Closes,
    HangsUp,
}

fn send_large(object: &ObjectRef) -> Pending<i32> {
    let arguments = |writer: &mut zorb_cdr::CdrWriter<'_>| {
        i32::write(&21, writer)?;
        writer.put(&vec![0; LARGE]);
        Ok(())
    };
    object.send("twice", arguments, i32::read)
}

/// Receives the start of the next request, and returns its id.
fn begin_to_read(stream: &mut TcpStream) -> u32 {
    let mut octets = [0; HEADER_SIZE + size_of::<u32>()];
    stream.read_exact(&mut octets).unwrap();
    u32::from_ne_bytes(octets[HEADER_SIZE..].try_into().unwrap())
}

#[test]
fn requests_that_end_while_they_are_sent_are_answered_or_sent_again() {
    for then in [Then::Answers, Then::Closes, Then::HangsUp] {
        let (orb, echo, served) = scripted_for(builder().build().unwrap(), move |listener| {
            let (mut stream, _) = listener.accept().unwrap();
            let first = read_requests(&mut stream, 1);
            answer(&mut stream, first);
            let id = begin_to_read(&mut stream);
            match then {
                Then::Answers => answer(&mut stream, [(id, 21)]),
                Then::Closes => stream.write_all(&closing()).unwrap(),
                Then::HangsUp => {}
            }
            match then {
                Then::Answers => {
                    std::io::copy(&mut (&stream).take(LARGE as u64), &mut std::io::sink()).unwrap();
                }
                Then::Closes | Then::HangsUp => {
                    drop(stream);
                    stream = listener.accept().unwrap().0;
                    let again = read_requests(&mut stream, 1);
                    answer(&mut stream, again);
                }
            }
            stream
        });
        let object = echo.object();
        assert_eq!(send_twice(object, 1).wait(), Ok(2));
        let large = send_large(object);
        assert_eq!(large.wait(), Ok(42), "{then:?}");
        drop(served.join().unwrap());
        orb.shutdown(true).unwrap();
    }
}
