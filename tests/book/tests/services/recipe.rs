//! Commands and recipes as they are in the book.

/// A page of the book.
pub(crate) struct Page(pub(crate) &'static str);

impl Page {
    /// The first line of its code that begins with `start`, without the comment.
    pub(crate) fn command(&self, start: &str) -> String {
        let line = self.0.lines().find(|line| line.starts_with(start));
        let line = line.unwrap_or_else(|| panic!("the page has no line {start}"));
        line.split(" #").next().unwrap().trim().to_owned()
    }

    /// The first code in its text that begins with `start`.
    pub(crate) fn span(&self, start: &str) -> String {
        let (_, rest) = self.0.split_once(&format!("`{start}")).unwrap();
        format!("{start}{}", rest.split('`').next().unwrap())
    }

    /// The first block of this language.
    pub(crate) fn block(&self, language: &str) -> String {
        let (_, text) = self.0.split_once(&format!("\n```{language}\n")).unwrap();
        format!("{}\n", text.split_once("\n```").unwrap().0)
    }

    /// A setting of its systemd unit.
    pub(crate) fn unit_value(&self, name: &str) -> String {
        let unit = self.block("ini");
        let value = unit.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        value.unwrap_or_else(|| panic!("the unit has no {name}")).to_owned()
    }

    /// The command of its container.
    pub(crate) fn entry_point(&self) -> String {
        let file = self.block("dockerfile");
        let words = file.lines().find_map(|line| line.strip_prefix("ENTRYPOINT ")).unwrap();
        serde_json::from_str::<Vec<String>>(words).unwrap().join(" ")
    }
}
