//! What to generate.

/// How the text is made. The default runs on the `zorb` crate and makes code for everything.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The crate, as an absolute path, that has `Result`, `ObjectRef` and `codegen`: `::zorb`.
    pub runtime: String,
    /// IDL modules (scoped names) whose Rust already exists, and its path.
    pub extern_modules: Vec<(String, String)>,
    /// IDL files (the end of their path) whose Rust already exists, and the module it is in.
    pub extern_files: Vec<(String, String)>,
    /// Native types (scoped names), and the Rust types that they are.
    pub natives: Vec<(String, String)>,
    /// Operations and attributes (scoped names), or what they are in, whose octets are lent.
    pub lent: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            runtime: "::zorb".into(),
            extern_modules: Vec::new(),
            extern_files: Vec::new(),
            natives: Vec::new(),
            lent: Vec::new(),
        }
    }
}

impl Options {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the runtime from the crate at `path` instead of `::zorb`.
    #[must_use]
    pub fn runtime(mut self, path: impl Into<String>) -> Self {
        self.runtime = path.into();
        self
    }

    /// Makes no code for an IDL module, and refers to `path` instead:
    /// `extern_module("CosNaming", "::zorb_naming::cos_naming")`.
    #[must_use]
    pub fn extern_module(mut self, module: impl Into<String>, path: impl Into<String>) -> Self {
        let module: String = module.into();
        self.extern_modules.push((module.trim_start_matches("::").into(), path.into()));
        self
    }

    /// Makes no code for the definitions of an included file, and refers to the text made of that
    /// file, which is included in the Rust module `path`: `extern_file("geo.idl", "crate::geo")`.
    #[must_use]
    pub fn extern_file(mut self, file: impl Into<String>, path: impl Into<String>) -> Self {
        self.extern_files.push((file.into(), path.into()));
        self
    }

    /// Takes the Rust type `path` for a native type: `native("Shop::Handle", "crate::Handle")`.
    /// It is to be `Clone`, `Debug`, `Send` and `Sync`, and `Error` where it is raised.
    #[must_use]
    pub fn native(mut self, native: impl Into<String>, path: impl Into<String>) -> Self {
        let native: String = native.into();
        self.natives.push((native.trim_start_matches("::").into(), path.into()));
        self
    }

    /// Has the `sequence<octet>` results of an operation or attribute be of the runtime's type `Lent`,
    /// which need not be copied, instead of `Vec<u8>`: `lent("Film::Camera::shoot")`. The name of an
    /// interface or module means all that is in it.
    #[must_use]
    pub fn lent(mut self, name: impl Into<String>) -> Self {
        let name: String = name.into();
        self.lent.push(name.trim_start_matches("::").into());
        self
    }

    /// Whether what is returned by this operation or attribute of an interface is lent.
    pub(crate) fn lends(&self, interface: &str, export: &str) -> bool {
        self.lent.iter().any(|name| Self::is_within(name, interface, export))
    }

    /// Whether this operation or attribute of an interface has the scoped name `of`, or is in what has.
    pub(crate) fn is_within(of: &str, interface: &str, export: &str) -> bool {
        let name = format!("{interface}::{export}");
        name.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    }
}
