//! Markdown: a relative link refers to a file of the project.

use super::super::{Finding, Rule, Tree};

pub(super) const RULE: Rule = Rule {
    name: "links",
    why: "a relative link in Markdown refers to a file or folder of the project",
    check,
};

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files().iter().filter(|file| file.path.ends_with(".md")) {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (line, target) in targets(&file.text) {
            if !is_relative(target) {
                continue;
            }
            let path = target.split(['#', '?']).next().unwrap_or_default().replace("%20", " ");
            let found = resolve(folder, &path).is_some_and(|path| tree.contains(&path));
            if !found {
                let advice = format!("broken link: `{target}`");
                findings.push(Finding::new(&file.path, line, advice));
            }
        }
    }
    findings
}

/// Every link's target with its line, except for those in code.
fn targets(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => line_targets(line, &mut |target| found.push((index + 1, target))),
            _ => {}
        }
    }
    found
}

fn line_targets<'a>(line: &'a str, found: &mut dyn FnMut(&'a str)) {
    if let Some((_, target)) = line.trim_start().strip_prefix('[').and_then(|l| l.split_once("]: "))
    {
        found(clean(target));
    }
    // Every second piece between backticks is code.
    let mut code = false;
    let mut from = 0;
    let mut rest = line;
    while let Some(at) = rest.find(['`', ']']) {
        let after = &rest[at + 1..];
        if rest[at..].starts_with('`') {
            code = !code;
        } else if let (false, Some(inner)) = (code, after.strip_prefix('(')) {
            let (end, _) = inner
                .match_indices(')')
                .find(|(end, _)| {
                    let piece = &inner[..*end];
                    piece.matches('(').count() == piece.matches(')').count()
                })
                .unwrap_or((inner.len(), ""));
            found(clean(&inner[..end]));
        }
        from += at + 1;
        rest = &line[from..];
    }
}

/// The address without a title or angle brackets.
fn clean(target: &str) -> &str {
    let target = target.trim();
    match target.strip_prefix('<').and_then(|inner| inner.split_once('>')) {
        Some((address, _)) => address,
        None => target.split_whitespace().next().unwrap_or_default(),
    }
}

fn is_relative(target: &str) -> bool {
    let scheme = target.split_once(':').is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    !target.starts_with('#') && !scheme
}

/// The path from the project's root; `None` if it is outside the project, absolute or empty.
fn resolve(folder: &str, target: &str) -> Option<String> {
    if target.is_empty() || target.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::positions;
    use super::*;

    fn links(text: &str) -> Vec<String> {
        positions(&RULE, &[("docs/src/a.md", text), ("docs/src/b.md", ""), ("README.md", "")])
    }

    #[test]
    fn links_to_files_of_the_project_pass() {
        for good in [
            "[b](b.md) and [top](../../README.md#install)",
            "[b](./b.md \"title\"), [b](<b.md>), [folder](../src/)",
            "[b]: b.md\n",
            "[x](https://example.org/a.md) [m](mailto:a) [h](#here)",
            "`[x](nowhere.md)`",
            "```text\n[x](nowhere.md)\n```\n",
            "[![badge](b.md)](b.md)",
            "- [ ] a task, f(x)[i]",
        ] {
            assert_eq!(links(good), [""; 0], "{good}");
        }
    }

    #[test]
    fn links_to_nowhere_fire() {
        for bad in [
            "[x](nowhere.md)",
            "a [x](c.md#b) d",
            "[x]: nowhere.md",
            "[x](../../../outside.md)",
            "[x](/README.md)",
            "[x](a(1).md)",
            "![image](missing.png)",
            "`code` [x](nowhere.md) `code`",
        ] {
            assert_eq!(links(bad), ["docs/src/a.md:1"], "{bad}");
        }
    }
}
