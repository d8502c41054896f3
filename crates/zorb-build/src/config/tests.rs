use zorb_idl::MemoryLoader;

use super::*;
use crate::Error;

const HELLO: &str = "module Hello { interface Greeter { string say_hello(in string name); }; };";

fn generate(
    config: &Config,
    loader: &MemoryLoader,
    files: &[&str],
) -> (Result<Vec<Output>, Error>, Vec<PathBuf>) {
    let mut read = Vec::new();
    let result = config.generate_from(loader, files, &mut |compilation| {
        read.extend_from_slice(compilation.dependencies());
    });
    (result, read)
}

#[test]
fn every_file_gets_a_rust_file_of_its_name() {
    let loader = MemoryLoader::new()
        .with("idl/hello.idl", HELLO)
        .with("idl/other.idl", "#include \"part.idl\"\nstruct Whole { Part it; };")
        .with("idl/part.idl", "struct Part { long x; };");
    let (result, read) = generate(&Config::new(), &loader, &["idl/hello.idl", "idl/other.idl"]);
    let outputs = result.expect("no errors");
    let names: Vec<&str> = outputs.iter().map(|output| output.name.as_str()).collect();
    assert_eq!(names, ["hello", "other"]);
    assert!(outputs[0].text.contains("pub struct Greeter("));
    assert!(outputs[1].text.contains("pub struct Part {"), "code of includes is generated");
    assert!(read.contains(&PathBuf::from("idl/part.idl")), "{read:?}");
}

#[test]
fn combined_files_share_their_types() {
    let loader = MemoryLoader::new()
        .with("a.idl", "#include \"part.idl\"\nstruct A { Part it; };")
        .with("b.idl", "#include \"part.idl\"\nstruct B { Part it; };")
        .with("part.idl", "#ifndef PART\n#define PART\nstruct Part { long x; };\n#endif");
    let (result, _) = generate(&Config::new().combined("all"), &loader, &["a.idl", "b.idl"]);
    let outputs = result.expect("no errors");
    assert_eq!(outputs.len(), 1);
    assert_eq!(outputs[0].name, "all");
    assert_eq!(outputs[0].text.matches("pub struct Part {").count(), 1);
}

#[test]
fn errors_of_all_files_are_shown_and_dependencies_are_reported() {
    let loader = MemoryLoader::new()
        .with("a.idl", "struct A { Missing x; };")
        .with("b.idl", "struct B { Absent x; };");
    let (result, read) = generate(&Config::new(), &loader, &["a.idl", "b.idl"]);
    let text = result.expect_err("both have errors").to_string();
    assert!(text.contains("Missing") && text.contains("Absent"), "{text}");
    assert_eq!(read.len(), 2);
}

#[test]
fn options_apply_to_front_end_and_back_end() {
    let loader = MemoryLoader::new()
        .with("inc/base.idl", "module Base { struct S { long x; }; };")
        .with("a.idl", "#include <base.idl>\n#ifdef WANTED\ntypedef Base::S T[LENGTH];\n#endif");
    let config = Config::new()
        .include_path("inc")
        .define("WANTED")
        .define_as("LENGTH", "7")
        .extern_module("Base", "crate::base")
        .runtime("crate::runtime");
    let (result, _) = generate(&config, &loader, &["a.idl"]);
    let outputs = result.expect("no errors");
    assert!(outputs[0].text.contains("pub type T = [crate::base::S; 7];"), "{}", outputs[0].text);
}

#[test]
fn loaned_octets_change_the_result_type() {
    let idl = "module Film { typedef sequence<octet> Picture; typedef sequence<octet, 9> Icon; \
               interface Camera { Picture shoot(in Picture like); Icon small(out Picture whole); \
               readonly attribute Picture last; long count(); }; interface Screen { Picture seen(); }; };";
    let loader = MemoryLoader::new().with("film.idl", idl);
    let text = |config: Config| {
        let (result, _) = generate(&config, &loader, &["film.idl"]);
        result.expect("no errors").remove(0).text
    };
    assert!(!text(Config::new()).contains("Loaned"));
    let all = text(Config::new().loaned("Film::Camera").loaned("::Film::Screen::see"));
    let wanted = [
        "fn shoot(&self, like: &[u8]) -> ::zorb::Result<::zorb::LoanedOctets>;",
        "fn small(&self) -> ::zorb::Result<(::zorb::LoanedOctets, ::zorb::LoanedOctets)>;",
        "fn last(&self) -> ::zorb::Result<::zorb::LoanedOctets>;",
        "fn count(&self) -> ::zorb::Result<i32>;",
        "fn seen(&self) -> ::zorb::Result<Picture>;",
        "[result: ::zorb::codegen::LoanedOctetSeq]",
        "result: ::zorb::codegen::BoundedLoanedOctetSeq<9>, whole: ::zorb::codegen::LoanedOctetSeq",
    ];
    for wanted in wanted {
        let flat = all.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(wanted), "{wanted} is not in {all}");
    }
    let one = text(Config::new().loaned("Film::Camera::last"));
    assert_eq!(one.matches("::zorb::LoanedOctets>").count(), 2, "{one}");
}

#[test]
fn loaned_names_without_a_match_cause_a_warning() {
    let loader = MemoryLoader::new()
        .with(
            "film.idl",
            "module Film { typedef sequence<octet> Picture; interface Camera { \
               Picture shoot(); long count(); }; };",
        )
        .with("sound.idl", "interface Microphone { attribute sequence<octet> last; void off(); };");
    let config =
        Config::new().loaned("Film").loaned("::Film::Camera::shoot").loaned("Microphone::last");
    let warnings = |config: &Config| {
        let (result, _) = generate(config, &loader, &["film.idl", "sound.idl"]);
        let outputs = result.expect("no errors");
        outputs.into_iter().flat_map(|output| output.warnings).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(warnings(&config), "");
    assert_eq!(warnings(&config.clone().combined("all")), "");
    for nothing in ["Film::Camera::shot", "Film::Cam", "Film::Camera::count", "Microphone::off"] {
        let wanted = format!(
            "loaned({nothing:?}): no operation or attribute of this name returns a sequence of octets"
        );
        assert_eq!(warnings(&config.clone().loaned(nothing)), wanted);
    }
    // Definitions for which no code is generated do not match.
    let elsewhere = warnings(&config.extern_module("Film", "crate::film"));
    assert!(
        elsewhere.contains("loaned(\"Film\")") && !elsewhere.contains("Microphone"),
        "{elsewhere}"
    );
}

#[test]
fn upcalls_are_arguments_by_option_and_annotation() {
    let loader = MemoryLoader::new()
        .with(
            "film.idl",
            "module Film { interface Camera { void on(); @upcall(FALSE) void off(); }; \
               interface Screen { void on(); @upcall void off(); }; };",
        )
        .with("sound.idl", "local interface Microphone { void off(); };");
    let output = |config: &Config| {
        let (result, _) = generate(config, &loader, &["film.idl", "sound.idl"]);
        result.expect("no errors")
    };
    let methods = |config: &Config| {
        let text = output(config).into_iter().map(|output| output.text).collect::<String>();
        let upcalls = text.lines().filter(|line| line.contains("&::zorb::poa::Upcall<'_>"));
        let name = |line: &str| line.trim().split('(').next().unwrap_or_default().to_owned();
        upcalls.map(name).collect::<Vec<_>>()
    };
    assert_eq!(methods(&Config::new()), ["fn off"]);
    assert_eq!(methods(&Config::new().upcall("::Film::Camera")), ["fn on", "fn off"]);
    assert_eq!(methods(&Config::new().upcall("Film")), ["fn on", "fn on", "fn off"]);
    let config = Config::new().upcall("Film").upcall("Microphone").upcall("Film::Camera::off");
    let warnings: Vec<String> =
        output(&config).into_iter().flat_map(|output| output.warnings).collect();
    assert_eq!(
        warnings,
        ["Microphone", "Film::Camera::off"].map(|name| format!(
            "upcall({name:?}): no operation or attribute of this name has servants"
        ))
    );
}

#[test]
fn views_are_generated_by_option_and_annotation() {
    let loader = MemoryLoader::new()
        .with(
            "shop.idl",
            "module Shop { @view struct Item { long id; }; struct Price { double net; Item of; }; \
               union Choice switch (boolean) { case TRUE: string plain; }; \
               struct Note { Choice text; }; typedef sequence<Price> Prices; \
               interface Till { void ring(in Prices all, in Note with); \
                 @view(FALSE) void plain(in Item one); @view Item last(); }; };",
        )
        .with("door.idl", "interface Door { void open(); };");
    let output = |config: &Config| {
        let (result, _) = generate(config, &loader, &["shop.idl", "door.idl"]);
        result.expect("no errors")
    };
    let lines = |config: &Config| {
        let text = output(config).into_iter().map(|output| output.text).collect::<String>();
        let is_view = |line: &&str| {
            let starts = ["pub struct ", "fn ", "pub fn view_"];
            line.contains("View<") && starts.iter().any(|start| line.starts_with(start))
        };
        text.lines().map(str::trim).filter(is_view).map(str::to_owned).collect::<Vec<_>>()
    };
    let item = "pub struct ItemView<'a>(::zorb::codegen::Position<'a>);";
    let price = "pub struct PriceView<'a>(::zorb::codegen::Position<'a>);";
    let ring =
        "fn ring(&self, all: ::zorb::SequenceView<'_, Price>, with: &Note) -> ::zorb::Result<()>;";
    assert_eq!(lines(&Config::new()), [item]);
    assert_eq!(lines(&Config::new().view("Shop::Price")), [item, price]);
    assert_eq!(lines(&Config::new().view("::Shop")), [item, price, ring]);
    let config =
        Config::new().view("Shop").view("Shop::Note").view("Door").view("Shop::Till::plain");
    let warnings: Vec<String> =
        output(&config).into_iter().flat_map(|output| output.warnings).collect();
    assert_eq!(
        warnings,
        ["Shop::Note", "Door", "Shop::Till::plain"].map(|name| format!(
            "view({name:?}): no struct, operation or attribute of this name can have views"
        ))
    );
}

#[test]
fn servants_answer_later_by_option_and_annotation() {
    let loader = MemoryLoader::new()
        .with(
            "film.idl",
            "module Film { interface Device {}; interface Camera : Device { void on(); }; \
               @deferred(FALSE) interface Lamp {}; @deferred interface Screen { void on(); }; };",
        )
        .with("sound.idl", "local interface Microphone { void off(); };");
    let output = |config: &Config| {
        let (result, _) = generate(config, &loader, &["film.idl", "sound.idl"]);
        result.expect("no errors")
    };
    let traits = |config: &Config| {
        let text = output(config).into_iter().map(|output| output.text).collect::<String>();
        let names = text.lines().filter_map(|line| line.trim().strip_prefix("pub trait "));
        let names = names.filter_map(|line| line.split_once("DeferredServant:"));
        names.map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(traits(&Config::new()), ["Screen"]);
    let camera = Config::new().deferred("::Film::Camera");
    assert_eq!(traits(&camera), ["Device", "Camera", "Screen"], "with its base");
    assert_eq!(traits(&Config::new().deferred("Film")), ["Device", "Camera", "Screen"]);
    let config = Config::new().deferred("Film").deferred("Microphone").deferred("Film::Came");
    let warnings: Vec<String> =
        output(&config).into_iter().flat_map(|output| output.warnings).collect();
    assert_eq!(
        warnings,
        ["Microphone", "Film::Came"]
            .map(|name| format!("deferred({name:?}): no interface of this name has servants"))
    );
}

#[test]
fn clashing_file_names_are_rejected_and_renamed_items_are_reported() {
    let loader = MemoryLoader::new()
        .with("x/a.idl", "struct fooBar { long x; }; struct foo_bar { long x; };")
        .with("y/a.idl", "struct Y { long x; };");
    let (result, _) = generate(&Config::new(), &loader, &["x/a.idl", "y/a.idl"]);
    assert!(matches!(result, Err(Error::SameName(_))));
    let (result, _) = generate(&Config::new(), &loader, &["x/a.idl"]);
    let outputs = result.expect("no errors");
    let warnings = outputs[0].warnings.join("\n");
    assert!(warnings.starts_with("x/a.idl:1:") && warnings.contains("`FooBar_`"), "{warnings}");
}

#[test]
fn files_are_written_to_the_output_folder() {
    let folder = std::env::temp_dir().join(format!("zorb-build-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("hello.idl"), HELLO).expect("an IDL file");
    let config = Config::new().out_dir(&folder);
    let result = config.try_compile(&[folder.join("hello.idl")]);
    let text = std::fs::read_to_string(folder.join("hello.rs"));
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
    let outputs = result.expect("no errors");
    assert_eq!(outputs[0].text, text.expect("the Rust file exists"));
}

#[test]
fn the_small_orb_needs_no_usage_file() {
    let loader = MemoryLoader::new().with("shop.idl", "interface Shop { void sell(); };");
    let text = |config: Config| {
        let outputs = generate(&config, &loader, &["shop.idl"]).0.expect("no errors");
        assert_eq!(outputs[0].warnings, Vec::<String>::new());
        outputs[0].text.clone()
    };
    let nano = || Config::new().target(Target::Nano);
    assert_eq!(text(nano().marshal(Marshal::Profile)), text(nano()));
}

#[test]
fn usage_files_choose_what_is_compiled() {
    let folder = std::env::temp_dir().join(format!("zorb-build-usage-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = |name: &str, lines: &str| {
        let path = folder.join(name);
        std::fs::write(&path, lines).expect("a usage file");
        path
    };
    let client = file("client", "zorb-usage 1\n9 0 IDL:Shop:1.0 sell\n1 0 IDL:Shop:1.0 close\n");
    let server = file("server", "zorb-usage 1\n0 80 IDL:Shop:1.0 close\n");
    let foreign = file("foreign", "zorb-usage 1\n5 0 IDL:Bank:1.0 sell\n");
    let invalid = file("invalid", "zorb-usage 2\n");
    let missing = folder.join("missing");
    let loader =
        MemoryLoader::new().with("shop.idl", "interface Shop { void sell(); void close(); };");
    let compiled = |files: &[&PathBuf]| {
        let config = Config::new().marshal(Marshal::Profile);
        let config = files.iter().fold(config, |config, path| config.usage_file(path));
        generate(&config, &loader, &["shop.idl"]).0
    };
    let is_compiled = |text: &str, name: &str| text.contains(&format!("invoke!(self, {name}, "));
    let each = |files| {
        let outputs = compiled(files).expect("no errors");
        assert_eq!(outputs[0].warnings, Vec::<String>::new());
        ["sell", "close"].map(|name| is_compiled(&outputs[0].text, name))
    };
    let (of_client, of_both) = (each(&[&client]), each(&[&client, &server]));
    let other = compiled(&[&foreign]).expect("no errors");
    let faults = [compiled(&[&missing]), compiled(&[&client, &invalid]), compiled(&[])]
        .map(|result| result.expect_err("a fault").to_string());
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
    assert_eq!((of_client, of_both), ([true, false], [false, true]));
    assert_eq!(other[0].warnings, ["the usage files contain no call of these interfaces"]);
    let [missing, invalid, none] = faults;
    assert!(missing.starts_with("usage file ") && missing.contains("missing: "), "{missing}");
    assert!(invalid.contains("invalid: line 1: "), "{invalid}");
    assert!(none.contains("option UsageFile"), "{none}");
}

#[test]
fn a_struct_that_was_declared_before_its_members_has_a_view() {
    let idl = "struct Late; @view struct Part { long n; }; @view struct Late { Part inner; };";
    let loader = MemoryLoader::new().with("late.idl", idl);
    let outputs = generate(&Config::new(), &loader, &["late.idl"]).0.expect("no errors");
    assert!(outputs[0].text.contains("pub struct LateView<'a>"));
}

#[test]
fn a_struct_that_was_declared_before_its_empty_members_is_empty() {
    let idl =
        "struct Late; struct Empty {}; struct Late { Empty inner; }; typedef sequence<Late> Many;";
    let loader = MemoryLoader::new().with("late.idl", idl);
    let error = generate(&Config::new(), &loader, &["late.idl"]).0.expect_err("E0313");
    assert!(error.to_string().contains("E0313"), "{error}");
}

#[test]
fn the_environment_chooses_the_engine_of_scripts_that_choose_none() {
    let loader = MemoryLoader::new().with("hello.idl", HELLO);
    let text = |config: Config, engine: &str| {
        let (result, _) = generate(&config.with_engine(engine).unwrap(), &loader, &["hello.idl"]);
        result.expect("no errors").remove(0).text
    };
    let [compiled, interpretive] = [Marshal::Compiled, Marshal::Interpretive]
        .map(|marshal| text(Config::new().marshal(marshal), ""));
    assert_ne!(compiled, interpretive);
    assert_eq!(text(Config::new(), ""), compiled);
    assert_eq!(text(Config::new(), "compiled"), compiled);
    assert_eq!(text(Config::new(), "interpretive"), interpretive);
    assert_eq!(text(Config::new().marshal(Marshal::Compiled), "interpretive"), compiled);
    let error = Config::new().with_engine("fast").unwrap_err().to_string();
    assert_eq!(error, "IDL_MARSHAL=fast: the engines are `compiled` and `interpretive`");
}
