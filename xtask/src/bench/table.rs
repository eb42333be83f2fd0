//! Tables, printed row by row as they are measured, and the cells that many of them have.

use super::{Peer, Published, Run, peer};

/// A column: what it is called and how wide it is.
pub struct Column {
    head: String,
    width: usize,
}

/// A table in the making.
pub struct Table {
    columns: Vec<Column>,
    complaints: Vec<String>,
}

/// Columns with these heads and widths.
pub fn columns(columns: &[(&str, usize)]) -> Vec<Column> {
    columns.iter().map(|(head, width)| column(head, *width)).collect()
}

/// A column for each peer that is measured now.
pub fn peer_columns(peers: &[Peer]) -> impl Iterator<Item = Column> {
    peers.iter().map(|peer| column(&format!("{}, now", peer.name), 18))
}

/// A column as wide as its head, but no narrower than `width`.
fn column(head: &str, width: usize) -> Column {
    Column { head: head.into(), width: width.max(head.chars().count()) }
}

/// Prints what comes next.
pub fn print_title(title: &str) {
    println!("\n{title}\n");
}

impl Table {
    /// Prints the head.
    pub fn new(title: &str, columns: Vec<Column>) -> Self {
        print_title(title);
        let heads: Vec<String> = columns.iter().map(|column| column.head.clone()).collect();
        let table = Self { columns, complaints: Vec::new() };
        table.row(&heads);
        table
    }

    /// Prints a row.
    pub fn row(&self, cells: &[String]) {
        assert_eq!(cells.len(), self.columns.len(), "a cell for each column");
        let cell = |(cell, column): (&String, &Column)| match column {
            Column { head, width } if head.is_empty() || LEFT.contains(&head.as_str()) => format!("{cell:width$}"),
            Column { width, .. } => format!("{cell:>width$}"),
        };
        let line: Vec<String> = cells.iter().zip(&self.columns).map(cell).collect();
        println!("{}", line.join("  ").trim_end());
    }

    /// Something is not as it should be.
    pub fn complain(&mut self, complaint: String) {
        self.complaints.push(complaint);
    }

    /// Complains where a peer that answered has another verdict.
    pub fn compare(&mut self, name: &str, run: &Run, peers: &[Peer], found: &[peer::Run]) {
        for (peer, found) in peers.iter().zip(found) {
            if found.verdict.is_some_and(|verdict| verdict != run.verdict && run.verdict != "unknown") {
                self.complain(format!("{name}: {} has another verdict", peer.name));
            }
        }
    }

    /// Prints what the columns mean, and all complaints.
    pub fn finish(self, notes: &[&str]) {
        println!();
        notes.iter().for_each(|note| println!("{note}"));
        self.complaints.iter().for_each(|complaint| println!("! {complaint}"));
    }
}

/// The columns of words, beside that of names.
const LEFT: [&str; 4] = ["verdict", "without", "formula", "class"];

/// A peer's seconds, how many times ours they are, and its memory.
pub fn published(published: Published, ours: f64) -> String {
    match published {
        Published::Took(seconds) => format!("{seconds:.2} ({})", times(seconds / ours)),
        Published::Used(seconds, megabytes) => format!("{seconds:.2} ({}) {megabytes} MB", times(seconds / ours)),
        Published::Over(seconds) => format!(">{seconds:.0} (>{})", times(seconds / ours)),
        Published::Unmeasured => "-".into(),
    }
}

/// The cells of the peers that are measured now.
pub fn peers(found: &[peer::Run], ours: f64) -> impl Iterator<Item = String> {
    found.iter().map(move |peer| match (peer.usage.code, peer.verdict) {
        (_, Some(_)) => published(Published::Took(peer.usage.seconds), ours),
        (None, None) => published(Published::Over(peer.usage.seconds), ours),
        (Some(code), None) => format!("exit {code}"),
    })
}

/// How many times as much.
pub fn times(ratio: f64) -> String {
    match ratio {
        ratio if ratio < 10.0 => format!("{ratio:.1}x"),
        ratio => format!("{ratio:.0}x"),
    }
}

/// What may be missing.
pub fn optional(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
