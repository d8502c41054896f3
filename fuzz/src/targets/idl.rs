//! IDL files, with the preprocessor: from the text to the generated code.

use zorb_idl::{MemoryLoader, compile_with};

use super::{AllocationBound, Target};

/// The prefix of a line that names another file. The text before the first such line is `main.idl`, the file compiled.
pub const NEXT_FILE: &str = "// file: ";

/// Text compiled, rendered and, where it has no errors, turned into Rust.
pub const TARGET: Target = Target {
    name: "idl",
    run,
    // Macros, includes and long names may grow as far as `zorb_idl::limits` allows.
    allocation: AllocationBound { per_octet: 16 << 10, constant: 160 << 20 },
    words: &[
        b"module ",
        b"interface ",
        b"struct ",
        b"union ",
        b" switch (",
        b"case ",
        b"default:",
        b"enum ",
        b"typedef ",
        b"sequence<",
        b"string<",
        b"const ",
        b"exception ",
        b"raises (",
        b"attribute ",
        b"valuetype ",
        b"eventtype ",
        b"abstract ",
        b"custom ",
        b"local ",
        b"truncatable ",
        b" supports ",
        b"public ",
        b"private ",
        b"factory ",
        b"native ",
        b"import ",
        b"typeid ",
        b"fixed<",
        b"1.5d",
        b"map<",
        b"bitmask ",
        b"bitset ",
        b"bitfield<",
        b"@annotation ",
        b"@range(",
        b"@bit_bound(",
        b"component ",
        b"home ",
        b" manages ",
        b"provides ",
        b"uses multiple ",
        b"porttype ",
        b"mirrorport ",
        b"connector ",
        b"module M<typename T> {",
        b"alias ",
        b"#include <Components.idl>\n",
        b"any ",
        b"long ",
        b"{",
        b"}",
        b"(",
        b")",
        b"<",
        b">>",
        b";",
        b"::",
        b"#",
        b"##",
        b"\\\n",
        b"/*",
        b"\"",
        b"'",
        b"#define A(x) ",
        b"#if ",
        b"#include \"main.idl\"\n",
        b"#pragma prefix \"",
        b"#pragma ID ",
        b"\n// file: a.idl\n",
        b"0x",
        b"1e9",
    ],
};

fn run(octets: &[u8]) {
    let mut loader = MemoryLoader::new();
    for (name, content) in files(octets) {
        loader = loader.with(name, content);
    }
    let options = zorb_idl::Options::new().include_path("include").define_as("FROM_OPTIONS", "42");
    let compilation = compile_with(&options, &loader, &["main.idl"]);
    // Diagnostics can always be rendered.
    assert_eq!(compilation.render().is_empty(), compilation.diagnostics.is_empty());
    assert_eq!(compilation.to_json().len(), compilation.diagnostics.len());
    if !compilation.has_errors() {
        // Constructs without a Rust mapping are skipped.
        let _ = zorb_idl_rust::unsupported(&compilation, &zorb_idl_rust::Options::new());
        let generated = zorb_idl_rust::generate(&compilation, &zorb_idl_rust::Options::new());
        assert!(generated.text.ends_with('\n'));
    }
}

/// The files of an input, each with its name.
fn files(octets: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![("main.idl".to_owned(), Vec::new())];
    for line in octets.split_inclusive(|octet| *octet == b'\n') {
        match line.strip_prefix(NEXT_FILE.as_bytes()) {
            Some(name) => {
                let name = String::from_utf8_lossy(name).trim().to_owned();
                files.push((name, Vec::new()));
            }
            None => {
                if let Some((_, content)) = files.last_mut() {
                    content.extend_from_slice(line);
                }
            }
        }
    }
    files
}
