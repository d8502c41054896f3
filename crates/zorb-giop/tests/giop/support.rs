//! Reading the captured messages.

use zorb_cdr::ByteOrder;
use zorb_giop::GiopVersion;

/// One `[name]` block of a data file: `key = value` lines, some keys more than once.
pub(crate) struct Block {
    pub(crate) name: String,
    fields: Vec<(String, String)>,
}

pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[') {
            let name = name.strip_suffix(']').expect("a name").to_string();
            blocks.push(Block { name, fields: Vec::new() });
        } else {
            let (key, value) = line.split_once(" = ").expect("key = value");
            let block = blocks.last_mut().expect("a block");
            block.fields.push((key.to_string(), value.to_string()));
        }
    }
    assert!(!blocks.is_empty());
    blocks
}

impl Block {
    pub(crate) fn all(&self, key: &str) -> impl Iterator<Item = &str> {
        self.fields.iter().filter(move |(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    pub(crate) fn field(&self, key: &str) -> Option<&str> {
        self.all(key).next()
    }

    pub(crate) fn text(&self, key: &str) -> &str {
        self.field(key).unwrap_or_else(|| panic!("{}: no {key}", self.name))
    }

    pub(crate) fn number(&self, key: &str) -> u32 {
        self.text(key).parse().expect("a number")
    }

    pub(crate) fn octets(&self, key: &str) -> Vec<u8> {
        hex(self.text(key))
    }

    pub(crate) fn version(&self) -> GiopVersion {
        match self.text("version") {
            "1.0" => GiopVersion::V1_0,
            "1.1" => GiopVersion::V1_1,
            "1.2" => GiopVersion::V1_2,
            other => panic!("version {other}"),
        }
    }

    pub(crate) fn order(&self) -> ByteOrder {
        match self.text("order") {
            "big" => ByteOrder::Big,
            _ => ByteOrder::Little,
        }
    }
}

pub(crate) fn hex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex"))
        .collect()
}

pub(crate) fn messages() -> Vec<Block> {
    blocks(include_str!("data/messages.txt"))
}

pub(crate) fn streams() -> Vec<Block> {
    blocks(include_str!("data/streams.txt"))
}

pub(crate) fn references() -> Vec<Block> {
    blocks(include_str!("data/references.txt"))
}
