//! Seeds from the IDL in the project.

use zorb_fuzz_smoke::targets::idl::NEXT_FILE;

use crate::{project, seed, sorted};

/// Fixtures that exhaust a budget: they take long, and so do mutations of them.
const SLOW: [&str; 4] = ["E0014", "E0018", "E0019", "E0419"];

const FILES: [&str; 4] = [
    "idl/CosNaming.idl",
    "tests/wire/idl/vec.idl",
    "fuzz/idl/echo.idl",
    "examples/hello/idl/hello.idl",
];

pub(crate) fn write() {
    for path in FILES {
        let text = std::fs::read(project(path)).expect("an IDL file");
        seed("idl", path.rsplit('/').next().unwrap_or(path), text);
    }
    for folder in ["crates/zorb-idl/tests/fixtures", "crates/zorb-idl/tests/fixtures/model"] {
        for path in sorted(&project(folder)) {
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let stem = stem.unwrap_or_default();
            if path.extension().is_some_and(|end| end == "md") && !SLOW.contains(&&*stem) {
                let text = std::fs::read_to_string(&path).expect("a fixture");
                for (index, case) in cases(&text).iter().enumerate().take(2) {
                    seed("idl", &format!("{stem}-{}.idl", index + 1), case);
                }
            }
        }
    }
    for (name, text) in [
        ("deep-expression.idl", format!("const long A = {}1;\n", "(".repeat(200))),
        ("deep-modules.idl", "module a {\n".repeat(200)),
        ("deep-sequences.idl", format!("typedef {}long", "sequence<".repeat(200))),
        ("doubling-macros.idl", doubling()),
        ("includes-itself.idl", "#include \"main.idl\"\nmodule a {};\n".repeat(3)),
        ("nul.idl", "module a\0{ };\n".to_owned()),
        ("unterminated.idl", "/* no end\nconst string a = \"no end\n".to_owned()),
        ("spliced.idl", "mod\\\nule a { const long b = 1\\\n2; };\n".to_owned()),
    ] {
        seed("idl", name, text);
    }
}

fn doubling() -> String {
    let lines = (1..10).map(|n| format!("#define M{n} M{} M{}\n", n - 1, n - 1));
    format!("#define M0 const long\n{}M9 A = 1;\n", lines.collect::<String>())
}

/// The cases of a fixture, each with the files it includes.
fn cases(text: &str) -> Vec<String> {
    let mut cases = Vec::new();
    let (mut main, mut others) = (String::new(), String::new());
    let mut blocks = text.split("```").skip(1);
    while let (Some(block), _) = (blocks.next(), blocks.next()) {
        let (head, body) = block.split_once('\n').unwrap_or((block, ""));
        match head.trim().split_once(' ') {
            None if head.trim() == "idl" => body.clone_into(&mut main),
            Some(("idl", name)) => others += &format!("{NEXT_FILE}{name}\n{body}"),
            _ if head.trim() == "diagnostics" => {
                cases.push(std::mem::take(&mut main) + &std::mem::take(&mut others));
            }
            _ => {}
        }
    }
    cases
}
