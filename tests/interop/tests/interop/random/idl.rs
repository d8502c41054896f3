//! Random IDL by seed: types of every kind in modules and interfaces, with names that compilers stumble over.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::generator::Generator;

/// Types in a file.
const TYPES: usize = 24;

/// Words of Rust, C++ and Java, names of what generated code uses, and keywords of IDL, which get escaped.
const NAMES: &str = "
    fn match type Self self impl crate dyn async loop mod ref use where Error Ok Err Some None
    Option Result Vec Box Str S T R W E N into from read write clone _default drop new eq i32 u8
    usize zorb std core Any_ TypeCode_ class namespace template int delete operator this _import
    package final null _struct _module _any _string _Long _case _Object _sequence value count
    length x y a1 aB a_b ABC XMLParser http2 is_nil hash id _union _fixed _wchar _in _local
    _context const_ static_ r k9 Helper Holder
";

/// Types without parameters.
const BASIC: &str = "short, long, long long, unsigned short, unsigned long, unsigned long long, float, double, \
    boolean, char, octet, wchar, any";

/// A file of IDL.
pub(super) struct Idl {
    pub(super) text: String,
    /// The absolute names of its types, each behind those that it uses.
    pub(super) names: Vec<String>,
}

/// A named type that others may use.
#[derive(Clone)]
struct Named {
    /// "::Module::Type", as IDL writes it.
    written: String,
    /// The enumerators as IDL writes them, for an enum.
    enumerators: Vec<String>,
}

/// A module or interface that is being written.
struct Scope {
    /// "::Module", as IDL writes it.
    written: String,
    /// The names that it declares, in lower case.
    taken: BTreeSet<String>,
    is_interface: bool,
}

struct Writer {
    random: Generator,
    names: Vec<&'static str>,
    basic: Vec<&'static str>,
    text: String,
    scopes: Vec<Scope>,
    types: Vec<Named>,
    constants: usize,
}

/// The file of a seed.
pub(super) fn of_seed(seed: u64) -> Idl {
    let mut random = Generator::new(seed);
    let mut text = String::new();
    if random.one_in(2) {
        text.push_str("#pragma prefix \"random.zorb.test\"\n");
    }
    let mut writer = Writer {
        random,
        names: NAMES.split_whitespace().collect(),
        basic: BASIC.split(", ").collect(),
        text,
        scopes: Vec::new(),
        types: Vec::new(),
        constants: 0,
    };
    writer.open(false, "Seed");
    for _ in 0..TYPES {
        writer.move_between_scopes();
        writer.definition();
    }
    while !writer.scopes.is_empty() {
        writer.close();
    }
    let names = writer.types.iter().map(|named| plain(&named.written)).collect();
    Idl { text: writer.text, names }
}

/// A scoped name without the underscores that escape keywords.
fn plain(written: &str) -> String {
    written.replace("::_", "::")
}

impl Writer {
    fn line(&mut self, text: &str) {
        let indent = self.scopes.len() * 2;
        let _ = writeln!(self.text, "{:indent$}{text}", "");
    }

    fn open(&mut self, is_interface: bool, name: &str) {
        let keyword = if is_interface { "interface" } else { "module" };
        self.line(&format!("{keyword} {name} {{"));
        let outer = self.scopes.last().map_or("", |scope| &scope.written);
        let written = format!("{outer}::{name}");
        // The scope's own name may not be declared again right inside.
        let taken = BTreeSet::from([key(name)]);
        self.scopes.push(Scope { written, taken, is_interface });
    }

    fn close(&mut self) {
        self.scopes.pop();
        self.line("};");
    }

    fn move_between_scopes(&mut self) {
        match self.random.below(8) {
            0 if self.scopes.len() < 4 && !self.scope().is_interface => {
                let name = self.fresh();
                let is_interface = self.random.one_in(3);
                self.open(is_interface, &name);
                if is_interface {
                    // It is not left empty.
                    self.definition();
                }
            }
            1 if self.scopes.len() > 1 => self.close(),
            _ => {}
        }
    }

    #[allow(clippy::unwrap_used, reason = "the scope of the file is never closed")]
    fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().unwrap()
    }

    /// A name that the scope does not declare yet.
    fn fresh(&mut self) -> String {
        loop {
            let mut name = (*self.random.pick(&self.names)).to_owned();
            if self.random.one_in(4) {
                let number = self.random.below(1000);
                name = format!("{}{number}", name.trim_start_matches('_'));
            }
            if self.scope().taken.insert(key(&name)) {
                return name;
            }
        }
    }

    fn definition(&mut self) {
        if self.random.one_in(6) {
            self.constant();
        }
        match self.random.below(8) {
            0 => self.enumeration(),
            1 | 2 => self.alias(),
            3 | 4 => self.union(),
            _ => self.structure(),
        }
    }

    fn constant(&mut self) {
        let number = |writer: &mut Self| 1 + writer.random.below(9);
        let (a, b, c) = (number(self), number(self), number(self));
        let value = match self.random.below(5) {
            0 => format!("{a} + {b} * {c}"),
            1 => format!("({a} << 2 | {b}) & 0x1f | 1"),
            2 => format!("({a} ^ {b}) % 7 + {c}"),
            3 => format!("0{a} + {b} - -{c}", a = a % 7 + 1),
            _ => format!("~{a} & 15 | {b}"),
        };
        self.constants += 1;
        let number = self.constants;
        let text = format!("const unsigned long LIMIT_{number} = {value};");
        self.scope().taken.insert(format!("limit_{number}"));
        self.line(&text);
    }

    /// A bound: a number, or the last constant if the scope can name it.
    fn bound(&mut self) -> String {
        let last = format!("limit_{}", self.constants);
        if self.random.one_in(2) && self.scope().taken.contains(&last) {
            return last.to_uppercase();
        }
        (1 + self.random.below(9)).to_string()
    }

    /// Declares the type that `name` is in this scope.
    fn declare(&mut self, name: &str, enumerators: Vec<String>) {
        let written = format!("{}::{name}", self.scope().written);
        self.types.push(Named { written, enumerators });
    }

    fn enumeration(&mut self) {
        let name = self.fresh();
        let values: Vec<String> = (0..1 + self.random.below(5)).map(|_| self.fresh()).collect();
        self.line(&format!("enum {name} {{ {} }};", values.join(", ")));
        // Enumerators belong to the scope of their enum.
        let scope = self.scope().written.clone();
        let values = values.iter().map(|value| format!("{scope}::{value}")).collect();
        self.declare(&name, values);
    }

    fn alias(&mut self) {
        let name = self.fresh();
        let (ty, sizes) = (self.expression(2), self.sizes());
        self.line(&format!("typedef {ty} {name}{sizes};"));
        self.declare(&name, Vec::new());
    }

    fn structure(&mut self) {
        let name = self.fresh();
        let is_recursive = self.random.one_in(5);
        if is_recursive {
            self.line(&format!("struct {name};"));
        }
        self.line(&format!("struct {name} {{"));
        let mut taken = BTreeSet::from([key(&name)]);
        for _ in 0..1 + self.random.below(6) {
            let (ty, sizes) = (self.expression(2), self.sizes());
            let member = self.member(&mut taken);
            self.line(&format!("  {ty} {member}{sizes};"));
        }
        if is_recursive {
            let member = self.member(&mut taken);
            let scope = self.scope().written.clone();
            self.line(&format!("  sequence<{scope}::{name}> {member};"));
        }
        self.line("};");
        self.declare(&name, Vec::new());
    }

    /// A name that is no member of the type yet.
    fn member(&mut self, taken: &mut BTreeSet<String>) -> String {
        loop {
            let name = *self.random.pick(&self.names);
            if taken.insert(key(name)) {
                return name.to_owned();
            }
        }
    }

    fn union(&mut self) {
        let name = self.fresh();
        let (switch, mut labels) = self.switch();
        self.line(&format!("union {name} switch ({switch}) {{"));
        let mut taken = BTreeSet::from([key(&name)]);
        let mut default = self.random.below(6);
        for number in 0..1 + self.random.below(4) {
            let mut cases = String::new();
            for _ in 0..1 + self.random.below(2) {
                if !labels.is_empty() {
                    let label = labels.swap_remove(self.random.below(labels.len()));
                    let _ = write!(cases, "case {label}: ");
                }
            }
            // At least one label is left to it.
            if default == number && labels.pop().is_some() {
                cases.push_str("default: ");
                default = usize::MAX;
            }
            if cases.is_empty() {
                break;
            }
            let (ty, sizes) = (self.expression(2), self.sizes());
            let member = self.member(&mut taken);
            self.line(&format!("  {cases}{ty} {member}{sizes};"));
        }
        self.line("};");
        self.declare(&name, Vec::new());
    }

    /// A discriminator and labels of it.
    fn switch(&mut self) -> (String, Vec<String>) {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let enums: Vec<Named> =
            self.types.iter().filter(|named| !named.enumerators.is_empty()).cloned().collect();
        match self.random.below(9) {
            0 => ("boolean".to_owned(), words(&["TRUE", "FALSE"])),
            1 => ("char".to_owned(), words(&["'a'", "'\\n'", "' '", "'\\x7e'", "'\\''", "'0'"])),
            2 => ("short".to_owned(), words(&["-32768", "-1", "0", "32767", "0x10"])),
            3 => ("unsigned short".to_owned(), words(&["0", "1", "65535", "077"])),
            4 => ("unsigned long".to_owned(), words(&["0", "4294967295", "2147483648", "7"])),
            5 => {
                let labels = ["-9223372036854775807", "9223372036854775807", "0", "-1"];
                ("long long".to_owned(), words(&labels))
            }
            6 => ("unsigned long long".to_owned(), words(&["18446744073709551615", "0", "3"])),
            7 if !enums.is_empty() => {
                let named = self.random.pick(&enums);
                (named.written.clone(), named.enumerators.clone())
            }
            _ => ("long".to_owned(), words(&["-2147483647", "2147483647", "0", "1", "2", "-1"])),
        }
    }

    /// Sizes of an array, most times none.
    fn sizes(&mut self) -> String {
        match self.random.below(6) {
            0 => format!("[{}]", self.bound()),
            1 if self.random.one_in(3) => {
                format!("[{}][{}]", 1 + self.random.below(3), 1 + self.random.below(3))
            }
            _ => String::new(),
        }
    }

    /// A type, with at most `depth` sequences in each other.
    fn expression(&mut self, depth: usize) -> String {
        match self.random.below(12) {
            0 | 1 if depth > 0 => {
                let element = self.expression(depth - 1);
                match self.random.one_in(2) {
                    true => format!("sequence<{element} >"),
                    false => format!("sequence<{element}, {} >", self.bound()),
                }
            }
            2 => "string".to_owned(),
            3 => format!("string<{} >", self.bound()),
            4 => "wstring".to_owned(),
            5 => format!("wstring<{} >", self.bound()),
            6 => {
                let digits = 1 + self.random.below(31);
                format!("fixed<{digits}, {} >", self.random.below(digits + 1))
            }
            7..=9 if !self.types.is_empty() => self.random.pick(&self.types).written.clone(),
            _ => (*self.random.pick(&self.basic)).to_owned(),
        }
    }
}

/// By what IDL tells names apart.
fn key(name: &str) -> String {
    name.trim_start_matches('_').to_lowercase()
}
