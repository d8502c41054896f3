//! References and the URLs that name them.

use std::path::Path;

use zorb::{Interface, Orb};

use crate::quickstart::clock::Teller;

/// Writes a reference to a file, for clients on the same disk.
pub fn write_reference(teller: &Teller, file: &Path) -> std::io::Result<()> {
    std::fs::write(file, teller.to_ior_string())
}

/// Reads the reference back.
pub fn read_reference(orb: &Orb, file: &Path) -> Result<Teller, zorb::Error> {
    orb.resolve(&format!("file://{}", file.display()))
}

/// An object with two addresses, tried in order until one accepts a connection.
pub fn either_of_two(orb: &Orb, ports: [u16; 2]) -> Result<Teller, zorb::Error> {
    let [first, second] = ports;
    orb.resolve(&format!("corbaloc::1.2@127.0.0.1:{first},:1.2@127.0.0.1:{second}/clock"))
}

/// Listens on shared memory for local clients and on TCP for all others.
pub fn for_local_and_remote_clients() -> Result<Orb, zorb::Error> {
    Orb::builder().listen("shmiop://").listen("iiop://").build()
}

/// The initial reference `Clock`, from `-ORBInitRef Clock=URL` or the like.
pub fn initial(mut arguments: Vec<String>) -> Result<(Orb, Teller), zorb::Error> {
    let orb = Orb::builder().without_environment().arguments(&mut arguments).build()?;
    let teller: Teller = orb.initial_reference("Clock")?;
    Ok((orb, teller))
}

/// The object's implicit operations.
pub fn questions(teller: &Teller) -> Result<String, zorb::Error> {
    let object = teller.as_object();
    let here = object.locate()?;
    let gone = object.non_existent()?;
    let is_a = object.is_a("IDL:Clock/Teller:1.0")?;
    let id = object.repository_id()?;
    Ok(format!("here: {here}, gone: {gone}, a Teller: {is_a}, most derived type: {id}"))
}

/// Connects now, so that the first call is as fast as later ones.
pub fn bind(teller: &Teller) -> Result<(), zorb::Error> {
    let object = teller.as_object();
    object.validate_connection()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quickstart::MyTeller;

    fn server() -> (Orb, Teller, u16) {
        let orb = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let orb = orb.build().unwrap();
        let teller: Teller = orb.root_poa().activate(MyTeller).unwrap();
        orb.publish("clock", &teller).unwrap();
        let endpoint = orb.endpoints().remove(0);
        let (_, port) = endpoint.rsplit_once(':').unwrap();
        (orb, teller, port.parse().unwrap())
    }

    #[test]
    fn neighbours_have_shared_memory() {
        let server = for_local_and_remote_clients().unwrap();
        let teller: Teller = server.root_poa().activate(MyTeller).unwrap();
        let client = Orb::builder().without_environment().build().unwrap();
        let there: Teller = client.resolve(&teller.as_object().to_ior_string()).unwrap();
        assert!(!there.as_object().non_existent().unwrap());
        let urls = server.endpoints();
        assert!(urls[0].starts_with("shmiop:///") && urls[1].starts_with("iiop://"), "{urls:?}");
        server.shutdown(true).unwrap();
    }

    #[test]
    fn references_lead_to_the_object() {
        let (server, teller, port) = server();
        let client = Orb::builder().without_environment().build().unwrap();

        let folder = std::env::temp_dir().join(format!("zorb-book-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("teller.ior");
        write_reference(&teller, &file).unwrap();
        let read = read_reference(&client, &file).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(read.as_object(), teller.as_object());
        assert_eq!(
            questions(&read).unwrap(),
            "here: true, gone: false, a Teller: true, most derived type: IDL:Clock/Teller:1.0"
        );

        bind(&read).unwrap();

        // Nobody listens on port 1.
        let teller = either_of_two(&client, [1, port]).unwrap();
        assert!(teller.seconds_since_midnight("UTC").is_ok());

        let url = format!("Clock=corbaloc::127.0.0.1:{port}/clock");
        let (other, teller) = initial(vec!["-ORBInitRef".to_owned(), url]).unwrap();
        assert!(teller.seconds_since_midnight("UTC").is_ok());

        other.shutdown(true).unwrap();
        client.shutdown(true).unwrap();
        server.shutdown(true).unwrap();
    }
}
