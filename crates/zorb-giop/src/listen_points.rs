//! The addresses at which the opener of a bidirectional connection listens.

use alloc::string::String;
use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter};

/// The maximum number of addresses that are read of a service context `BI_DIR_IIOP`.
pub const MAX_LISTEN_POINTS: usize = 64;

/// The data of the service context `BI_DIR_IIOP` (CORBA 3.3 part 2, 15.8: `IIOP::BiDirIIOPServiceContext`): hosts
/// and ports in the client's references. To objects there, a server may send requests over the client's connection.
///
/// ```text
/// +------------+---------+-------------+-------------+-------------+---
/// | byte order | padding | ulong count | string host | ushort port | ...
/// +------------+---------+-------------+-------------+-------------+---
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListenPoints(pub Vec<(String, u16)>);

impl ListenPoints {
    /// Encodes the data of the context.
    ///
    /// # Errors
    /// A host is not Latin-1.
    pub fn encode(&self, order: ByteOrder) -> CdrResult<Vec<u8>> {
        CdrWriter::encapsulation(order, |writer| {
            writer.write_count(self.0.len(), "ListenPointList")?;
            for (host, port) in &self.0 {
                writer.write_latin1(host)?;
                writer.write_u16(*port);
            }
            Ok(())
        })
    }

    /// Decodes the data of the context. Addresses beyond [`MAX_LISTEN_POINTS`] are ignored.
    ///
    /// # Errors
    /// The data is malformed.
    pub fn decode(data: &[u8]) -> CdrResult<Self> {
        let mut reader = CdrReader::for_encapsulation(data)?;
        let count = reader.read_count(8, "ListenPointList")?;
        let points = (0..count.min(MAX_LISTEN_POINTS)).map(|_| {
            let host = reader.read_latin1_owned("host")?;
            Ok((host, reader.read_u16()?))
        });
        points.collect::<CdrResult<_>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What omniORB 4.2.5 sends.
    const OF_OMNIORB: [u8; 24] = [
        1, 0, 0, 0, 1, 0, 0, 0, 10, 0, 0, 0, b'1', b'2', b'7', b'.', b'0', b'.', b'0', b'.', b'1',
        0, 0x93, 0x44,
    ];

    #[test]
    fn the_context_of_omniorb_is_read_and_written() {
        let points = ListenPoints([("127.0.0.1".into(), 17_555)].into());
        assert_eq!(ListenPoints::decode(&OF_OMNIORB), Ok(points.clone()));
        assert_eq!(points.encode(ByteOrder::Little).unwrap(), OF_OMNIORB);
        let big = points.encode(ByteOrder::Big).unwrap();
        assert_eq!(ListenPoints::decode(&big), Ok(points));
    }

    #[test]
    fn octets_that_end_too_early_are_rejected() {
        let points = ListenPoints([("10.0.0.1".into(), 9), ("h".into(), 65_535)].into());
        let octets = points.encode(ByteOrder::Big).unwrap();
        assert_eq!(ListenPoints::decode(&octets), Ok(points));
        for length in 0..octets.len() {
            assert!(ListenPoints::decode(&octets[..length]).is_err(), "{length}");
        }
        assert!(ListenPoints::decode(&[0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]).is_err());
    }

    #[test]
    fn no_more_than_the_maximum_are_read() {
        let all: Vec<_> = (0..1000).map(|port| (String::from("h"), port)).collect();
        let octets = ListenPoints(all.clone()).encode(ByteOrder::Big).unwrap();
        let read = ListenPoints::decode(&octets).unwrap();
        assert_eq!(read.0, all[..MAX_LISTEN_POINTS]);
    }
}
