//! Random IDL by seed, compiled for both engines.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::SystemTime;

use zorb_build::{Config, Marshal};

use crate::compared;

/// The seed of a usual run; `ZORB_SEED=7` chooses another.
const SEED: u64 = 1;
/// Structs, unions and enums.
const TYPES: usize = 32;

/// Types of fixed size that are moved as they are.
const NUMBERS: [&str; 9] = [
    "octet",
    "short",
    "unsigned short",
    "long",
    "unsigned long",
    "float",
    "double",
    "long long",
    "unsigned long long",
];
/// Other types without parameters.
const OTHERS: [&str; 7] =
    ["boolean", "char", "wchar", "string", "wstring", "any", "sequence<octet>"];

/// Writes IDL of a seed, compiles it as `compared::compile` does, and lists the pairs of types in `random_types.rs`.
pub(crate) fn compile() {
    println!("cargo::rerun-if-env-changed=ZORB_SEED");
    let seed = std::env::var("ZORB_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or(SEED);
    let mut writer = Writer { state: seed, text: String::new(), types: Vec::new() };
    for _ in 0..TYPES {
        writer.definition();
    }
    let folder = compared::folder("random");
    let file = folder.join("random.idl");
    let types: String = writer.types.iter().map(|name| format!("{name} ")).collect();
    let idl = format!("module Random {{\n{}}};\n", writer.text);
    let list = format!("pairs! {{ {seed}: {types} }}\n");
    for (file, text) in [(&file, idl), (&folder.join("types.rs"), list)] {
        if let Err(error) = write(file, &text) {
            eprintln!("{}: {error}", file.display());
            std::process::exit(1);
        }
    }
    let [compiled, interpretive] =
        [Marshal::Compiled, Marshal::Interpretive].map(|marshal| Config::new().marshal(marshal));
    for (name, config) in [("compiled", compiled), ("interpretive", interpretive)] {
        let folder = compared::folder(&format!("random/{name}"));
        if let Err(error) = config.out_dir(folder).try_compile(&[&file]) {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}

/// Writes a file that is not newer than the build: otherwise Cargo would run it again each time.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.set_modified(SystemTime::UNIX_EPOCH)
}

struct Writer {
    state: u64,
    text: String,
    /// The types so far.
    types: Vec<String>,
}

impl Writer {
    /// A number below `limit` (splitmix64).
    fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    fn pick<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.below(words.len())]
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "  {line}");
    }

    fn definition(&mut self) {
        let name = format!("T{}", self.types.len());
        match self.below(8) {
            0 => self.enumeration(&name),
            1 | 2 => self.union(&name),
            3 | 4 => self.numbers(&name),
            _ => self.structure(&name),
        }
        self.types.push(name);
    }

    fn enumeration(&mut self, name: &str) {
        let count = 1 + self.below(6);
        let values: Vec<String> = (0..count).map(|index| format!("{name}_{index}")).collect();
        self.line(format_args!("enum {name} {{ {} }};", values.join(", ")));
    }

    /// A struct of numbers: often without padding.
    fn numbers(&mut self, name: &str) {
        self.line(format_args!("struct {name} {{"));
        let is_uniform = self.below(2) == 0;
        let one = self.pick(&NUMBERS);
        for index in 0..1 + self.below(5) {
            let ty = if is_uniform { one } else { self.pick(&NUMBERS) };
            let size = self.size();
            self.line(format_args!("  {ty} m{index}{size};"));
        }
        self.line(format_args!("}};"));
    }

    fn structure(&mut self, name: &str) {
        let is_recursive = self.below(6) == 0;
        if is_recursive {
            self.line(format_args!("struct {name};"));
        }
        self.line(format_args!("struct {name} {{"));
        for index in 0..1 + self.below(6) {
            let (ty, size) = (self.expression(2), self.size());
            self.line(format_args!("  {ty} m{index}{size};"));
        }
        if is_recursive {
            self.line(format_args!("  sequence<{name}> again;"));
        }
        self.line(format_args!("}};"));
    }

    fn union(&mut self, name: &str) {
        let (switch, labels) = match self.below(5) {
            0 => ("boolean", ["TRUE", "FALSE", "", ""]),
            1 => ("char", ["'a'", "'\\n'", "'0'", "' '"]),
            2 => ("short", ["-32768", "-1", "0", "32767"]),
            3 => ("unsigned long long", ["0", "1", "18446744073709551615", "7"]),
            _ => ("long", ["-2147483647", "0", "1", "2147483647"]),
        };
        self.line(format_args!("union {name} switch ({switch}) {{"));
        let all = labels.iter().filter(|label| !label.is_empty()).count();
        let count = 1 + self.below(all);
        for (index, label) in labels.iter().take(count).enumerate() {
            let (ty, size) = (self.expression(2), self.size());
            self.line(format_args!("  case {label}: {ty} m{index}{size};"));
        }
        if count < all && self.below(2) == 0 {
            let ty = self.expression(1);
            self.line(format_args!("  default: {ty} other;"));
        }
        self.line(format_args!("}};"));
    }

    /// The size of an array, most times none.
    fn size(&mut self) -> String {
        match self.below(8) {
            0 => format!("[{}]", 1 + self.below(4)),
            1 if self.below(2) == 0 => "[2][3]".to_owned(),
            _ => String::new(),
        }
    }

    /// A type, with at most `depth` sequences in each other.
    fn expression(&mut self, depth: usize) -> String {
        match self.below(12) {
            0 | 1 if depth > 0 => format!("sequence<{} >", self.expression(depth - 1)),
            2 if depth > 0 => {
                let element = self.expression(depth - 1);
                format!("sequence<{element}, {} >", 1 + self.below(4))
            }
            3 => format!("string<{} >", 1 + self.below(9)),
            4 => {
                let digits = 1 + self.below(31);
                format!("fixed<{digits}, {} >", self.below(digits + 1))
            }
            5..=7 if !self.types.is_empty() => {
                let index = self.below(self.types.len());
                self.types[index].clone()
            }
            8 => self.pick(&OTHERS).to_owned(),
            _ => self.pick(&NUMBERS).to_owned(),
        }
    }
}
