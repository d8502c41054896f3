//! Seeds from the golden vectors of `tests/wire`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value as Json;
use zorb_giop::Ior;

use crate::{project, seed, sorted};

/// How many streams to take from each folder of vectors, spread over it.
const STREAMS: [(&str, usize); 6] = [
    ("raw", 70),
    ("client-probes", 24),
    ("omniorb-le", 40),
    ("jacorb-be", 16),
    ("mixed", 6),
    ("naming", 8),
];

/// The longest stream taken.
const MAX_STREAM: usize = 6000;

struct Vector {
    scenario: String,
    from_client: bool,
    kind: String,
    little: bool,
    version: String,
    octets: Vec<u8>,
    body: Option<usize>,
    ior: Option<String>,
}

fn read(path: &Path) -> Vector {
    let text = std::fs::read_to_string(path).expect("a readable vector");
    let json: Json = serde_json::from_str(&text).expect("a vector is JSON");
    let word = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_default();
    // `scenario_NUMBER_kind`
    let scenario = stem.rsplitn(3, '_').nth(2).unwrap_or(&stem).to_owned();
    Vector {
        scenario,
        from_client: word("direction") == "client->server",
        kind: word("message_type"),
        little: word("byte_order") == "little",
        version: word("giop_version"),
        octets: hex(&word("hex")),
        body: json["header"]["body_offset"].as_u64().map(|offset| offset as usize),
        ior: json["ior"].as_str().map(str::to_owned),
    }
}

fn hex(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks_exact(2);
    let digits = pairs.map(|pair| std::str::from_utf8(pair).expect("hex digits"));
    digits.map(|pair| u8::from_str_radix(pair, 16).expect("hex digits")).collect()
}

pub(crate) fn write() {
    let root = project("tests/wire/vectors");
    let mut seen = BTreeSet::new();
    for (folder, wanted) in STREAMS {
        let files = sorted(&root.join(folder));
        let vectors: Vec<Vector> = files.iter().map(|path| read(path)).collect();
        streams(folder, &vectors, wanted, &mut seen);
        values(folder, &vectors);
    }
    for path in sorted(&root) {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        if name.starts_with("ior_") && path.is_file() {
            let vector = read(&path);
            references(&name, vector.ior.as_deref().unwrap_or_default(), &vector.octets);
        }
    }
}

/// What one side of a scenario sent, as one stream.
fn streams(folder: &str, vectors: &[Vector], wanted: usize, seen: &mut BTreeSet<Vec<u8>>) {
    let mut streams: BTreeMap<(String, &str), Vec<u8>> = BTreeMap::new();
    for vector in vectors {
        let side = if vector.from_client { "client" } else { "server" };
        let stream = streams.entry((vector.scenario.clone(), side)).or_default();
        stream.extend_from_slice(&vector.octets);
    }
    // The first messages of similar scenarios are the same but for ids.
    streams.retain(|_, octets| octets.len() <= MAX_STREAM && seen.insert(octets.clone()));
    for index in 0..wanted.min(streams.len()) {
        let place = index * streams.len() / wanted.min(streams.len());
        let Some(((scenario, side), octets)) = streams.iter().nth(place) else { break };
        seed("giop", &format!("{folder}-{scenario}-{side}"), octets);
        // To the server target these are calls to objects it does not have.
        if *side == "client" && index % 6 == 0 {
            seed("server", &format!("foreign-{folder}-{scenario}"), octets);
        }
        if *side == "server" && index % 3 == 0 {
            let reply = [&[5_u8][..], octets].concat();
            seed("client", &format!("foreign-{folder}-{scenario}"), reply);
        }
    }
}

/// Bodies of replies: values of many types.
fn values(folder: &str, vectors: &[Vector]) {
    let wanted = ["omniorb-le", "jacorb-be"].contains(&folder);
    for vector in vectors.iter().filter(|vector| wanted && vector.kind == "Reply") {
        let body = vector.body.and_then(|offset| vector.octets.get(offset..)).unwrap_or_default();
        if body.is_empty() || body.len() > 2000 {
            continue;
        }
        let order = u8::from(vector.little);
        let name = format!("{folder}-{}", vector.scenario);
        if vector.scenario.contains("_any") || vector.scenario.contains("_tc_") {
            if vector.version == "1.2" {
                // UTF-16 with lengths in octets, as GIOP 1.2 has it.
                seed("type_code", &name, [&[order][..], body].concat());
                crate::dynamic::received(&name, vector.little, body);
            }
            continue;
        }
        let wide = vector.scenario.contains("wstring") || vector.scenario.contains("wchar");
        let octets = match (wide, vector.version.as_str()) {
            // Lengths in octets set the bit of origin 1: three octets bring it to 4.
            (true, "1.2") => [&[order | 0b0010_1000, 0, 0, 0][..], body].concat(),
            (true, _) => [&[order | 0b0001_0100][..], body].concat(),
            (false, "1.2") => [&[order | 0b0000_0010][..], body].concat(),
            // Of the older versions' values, which are alike, a few.
            _ if vector.scenario.contains("prims") => [&[order][..], body].concat(),
            _ => continue,
        };
        seed("cdr", &name, octets);
    }
}

/// A reference, its encapsulation, its profiles and their components.
fn references(name: &str, text: &str, octets: &[u8]) {
    seed("ior", &format!("{name}.txt"), text);
    seed("ior", &format!("{name}-encapsulation"), octets);
    if name == "ior_omniorb_leaf" {
        seed("corbaloc", name, text);
    }
    let ior = Ior::from_stringified(text).expect("a reference");
    for (index, profile) in ior.profiles.iter().enumerate() {
        seed("ior", &format!("{name}-profile-{index}"), &profile.data);
        let Ok(profile) = zorb_giop::IiopProfile::decode(&profile.data) else { continue };
        for component in &profile.components {
            let tag = component.tag.0;
            seed("ior", &format!("component-{tag:x}-{}", &name[4..]), &component.data);
        }
    }
}
