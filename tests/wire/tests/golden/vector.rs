//! The captured messages, as the files in `vectors/` hold them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use zorb_ziop::{Incoming, Step};

/// The folders of messages.
pub(crate) const FOLDERS: [&str; 6] =
    ["omniorb-le", "jacorb-be", "mixed", "naming", "raw", "client-probes"];

/// One captured message.
#[derive(Debug)]
pub(crate) struct Vector {
    /// Folder and file without `.json`: `omniorb-le/giop12_ping_1_request`.
    pub(crate) id: String,
    /// Whether the initiator of the connection sent it.
    pub(crate) from_client: bool,
    /// The message as captured.
    pub(crate) octets: Vec<u8>,
    /// The same with every padding octet 0.
    pub(crate) zero_padded: Vec<u8>,
    /// The decoded header; absent where the recording could not decode the message.
    pub(crate) header: Option<Json>,
    /// The decoded arguments or results.
    pub(crate) body: Option<Json>,
}

/// The messages of one exchange, in wire order.
#[derive(Debug)]
pub(crate) struct Scenario {
    /// Folder and name: `omniorb-le/giop12_ping`.
    pub(crate) id: String,
    /// The messages.
    pub(crate) vectors: Vec<Vector>,
}

impl Scenario {
    /// The folder.
    pub(crate) fn folder(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }

    /// Folder and the part of the name that tells peers and version: `jacorb-be/giop12_be`.
    pub(crate) fn group(&self) -> &str {
        let end = self.id.find('_').unwrap_or(self.id.len());
        match self.id.get(end..end + 4) {
            Some("_be_") => self.id.get(..end + 3).unwrap_or(&self.id),
            _ => self.id.get(..end).unwrap_or(&self.id),
        }
    }
}

/// The folder of the captured files.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

/// All scenarios, by folder and name.
pub(crate) fn scenarios() -> Vec<Scenario> {
    let mut found: BTreeMap<String, BTreeMap<u32, Vector>> = BTreeMap::new();
    for folder in FOLDERS {
        for path in files(&root().join(folder)) {
            let name = stem(&path);
            let (rest, _kind) = name.rsplit_once('_').expect("a kind at the end of the name");
            let (scenario, number) = rest.rsplit_once('_').expect("a number before the kind");
            let number = number.parse().expect("a number before the kind");
            let vector = read(format!("{folder}/{name}"), &path);
            found.entry(format!("{folder}/{scenario}")).or_default().insert(number, vector);
        }
    }
    let scenario = |(id, vectors): (String, BTreeMap<_, _>)| Scenario {
        id,
        vectors: vectors.into_values().collect(),
    };
    found.into_iter().map(scenario).collect()
}

/// The JSON files of a folder, in the order of their names.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    paths
}

/// A file's content.
pub(crate) fn json(path: &Path) -> Json {
    let text = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The file's name without its extension.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned()
}

fn read(id: String, path: &Path) -> Vector {
    let mut file = json(path);
    let octets = decompressed(unhex(file["hex"].as_str().expect("hex")), &file);
    let zero_padded = file["hex_zero_padded"].as_str().map_or_else(|| octets.clone(), unhex);
    let mut take = |key| Some(file[key].take()).filter(|value| !value.is_null());
    let from_client = take("direction").is_some_and(|direction| direction == "client->server");
    Vector { id, from_client, header: take("header"), body: take("body"), octets, zero_padded }
}

/// The GIOP message of a ZIOP message.
fn decompressed(octets: Vec<u8>, file: &Json) -> Vec<u8> {
    if !octets.starts_with(b"ZIOP") {
        return octets;
    }
    let mut incoming = Incoming::of_server(u32::MAX);
    incoming.space()[..octets.len()].copy_from_slice(&octets);
    incoming.filled(octets.len());
    let mut message = Vec::new();
    let mut buffer = [0; 1000];
    while let Step::Taken(count) = incoming.take(&mut buffer).expect("it can be decompressed") {
        message.extend_from_slice(&buffer[..count]);
    }
    assert_eq!(Some(message.len() as u64 - 12), file["original_length"].as_u64());
    let beginning = file["decompressed_prefix_hex"].as_str().map(unhex).expect("a beginning");
    assert!(message[12..].starts_with(&beginning));
    message
}

/// Octets from hexadecimal digits.
pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digit = |octet: u8| char::from(octet).to_digit(16).expect("a hexadecimal digit") as u8;
    text.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// Octets as hexadecimal digits.
pub(crate) fn hex(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}
