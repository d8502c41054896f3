//! Text tables.

use std::fmt;

/// A table with a heading. Columns of numbers are aligned to the right, others to the left.
pub(crate) struct TextTable(Vec<Vec<String>>);

impl TextTable {
    /// A table without rows, with these names of columns.
    pub(crate) fn new<T: Into<String>>(columns: impl IntoIterator<Item = T>) -> Self {
        Self(vec![columns.into_iter().map(Into::into).collect()])
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.push(cells.into_iter().collect());
    }
}

impl fmt::Display for TextTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cell = |row: &Vec<String>, column: usize| row.get(column).cloned().unwrap_or_default();
        let count = self.0.iter().map(Vec::len).max().unwrap_or_default();
        let columns: Vec<(usize, bool)> = (0..count)
            .map(|column| {
                let width = self.0.iter().map(|row| cell(row, column).chars().count()).max();
                let rows = self.0.iter().skip(1);
                let numbers = rows.map(|row| cell(row, column)).all(|text| is_number(&text));
                (width.unwrap_or_default(), numbers)
            })
            .collect();
        for row in &self.0 {
            let cells = (0..).zip(&columns).map(|(column, &(width, numbers))| {
                let text = cell(row, column);
                if numbers { format!("{text:>width$}") } else { format!("{text:width$}") }
            });
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}

/// Whether the text is a number, or stands for a missing one.
fn is_number(text: &str) -> bool {
    text.is_empty() || text == "-" || text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_to_the_right() {
        let mut table = TextTable::new(["name", "us"]);
        table.row(["a".to_owned(), "10.5".to_owned()]);
        table.row(["longer".to_owned(), "-".to_owned()]);
        assert_eq!(table.to_string(), "name      us\na       10.5\nlonger     -\n");
    }
}
