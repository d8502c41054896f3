//! Recipes as they are in the book.

const PAGE: &str = include_str!("../../../../docs/src/networks.md");

/// The blocks of a section.
pub(crate) struct Recipe {
    /// The server's configuration file.
    pub(crate) toml: String,
    /// The rules of its gateway.
    pub(crate) nft: Option<String>,
}

impl Recipe {
    pub(crate) fn of(title: &str) -> Self {
        let mut sections = PAGE.split("\n## ");
        let section = sections.find_map(|section| section.strip_prefix(&format!("{title}\n")));
        let section = section.unwrap_or_else(|| panic!("the page has no section {title}"));
        let block = |language: &str| {
            let (_, text) = section.split_once(&format!("\n```{language}\n"))?;
            Some(text.split_once("\n```").unwrap().0.to_owned())
        };
        Self { toml: block("toml").unwrap(), nft: block("nft") }
    }
}
