//! A plain table for people: columns as wide as their widest cell, two spaces between, no lines.

use taffrail_text::width;

/// Rows of cells under a heading.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with this heading.
    pub fn new<const N: usize>(heading: [&str; N]) -> Self {
        Self {
            rows: vec![heading.iter().map(|cell| cell.to_uppercase()).collect()],
        }
    }

    /// Adds a row. Cells must be escaped before.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into());
    }

    /// The table as text, each line ended by a newline, no blanks at line ends.
    pub fn render(&self) -> String {
        let widths = self.widths();
        self.rows.iter().map(|row| line(row, &widths)).collect()
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.first().map_or(0, Vec::len);
        let widest = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| width(cell))
                .max()
        };
        (0..columns)
            .map(|column| widest(column).unwrap_or_default())
            .collect()
    }
}

fn line(row: &[String], widths: &[usize]) -> String {
    let mut text = String::new();
    for (cell, wide) in row.iter().zip(widths) {
        text.push_str(cell);
        text.push_str(&" ".repeat(wide.saturating_sub(width(cell)) + 2));
    }
    format!("{}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_in_every_script() {
        let mut table = Table::new(["name", "state"]);
        table.row(["箱".into(), "pending".into()]);
        table.row(["abc".into(), "landed".into()]);
        assert_eq!(table.render(), "NAME  STATE\n箱    pending\nabc   landed\n");
    }
}
