//! The table, printed row by row as it is measured.

use super::{Input, Peer, Published, Row, Run, Trace, peer, rows};

/// The column that names a row.
const NAME: usize = 20;
const CELL: usize = 18;

/// What has been printed so far, as far as later rows refer to it.
pub struct Table<'a> {
    peers: &'a [Peer],
    /// The last row of the template: its size and time.
    last: Option<(usize, f64)>,
    complaints: Vec<String>,
}

impl<'a> Table<'a> {
    /// Prints the head.
    pub fn new(peers: &'a [Peer]) -> Self {
        print!("{:NAME$} {:9} {:>9} {:>8} {:>6}", "", "verdict", "CPU s", "target", "n x 2");
        print!(" {:>8} {:>10} {:>10}", "MB", "nodes", "bytes out");
        for name in rows::PEERS {
            print!(" {name:>CELL$}");
        }
        for peer in peers {
            print!(" {:>CELL$}", format!("{}, now", peer.name));
        }
        println!();
        Self { peers, last: None, complaints: Vec::new() }
    }

    /// Prints a row of `benches/`.
    pub fn add(&mut self, row: &Row, run: &Run, peers: &[peer::Run]) {
        let growth = match row.input {
            Input::Levels(levels) if row.trace == Trace::Without => self.growth(levels, run.usage.seconds),
            _ => None,
        };
        self.print(row.name, run, row.target, growth);
        let published = row.published.map(|published| published_cell(published, run.usage.seconds));
        self.print_peers(&published, run, peers);
        if row.target.is_some_and(|target| run.usage.seconds > target) {
            self.complaints.push(format!("{}: slower than its target", row.name));
        }
        self.compare(row.name, run, peers);
    }

    /// Prints a row for a file of the user's.
    pub fn add_input(&mut self, name: &str, run: &Run, peers: &[peer::Run]) {
        self.print(name, run, None, None);
        self.print_peers(&rows::PEERS.map(|_| String::new()), run, peers);
        self.compare(name, run, peers);
    }

    /// Prints what is not as it should be.
    pub fn finish(self) {
        println!(
            "\nCPU s: user and system, the best of several runs; MB: peak resident memory; nodes: peak BDD nodes."
        );
        println!("n x 2: growth of time when n doubles, from the row above. Peers: their seconds, and over ours.");
        println!("What peers took was measured beforehand, unless the column says `now`.");
        for complaint in self.complaints {
            println!("! {complaint}");
        }
    }

    /// How much longer a template of twice the size takes, going by the last two.
    fn growth(&mut self, size: usize, seconds: f64) -> Option<f64> {
        let last = self.last.replace((size, seconds));
        last.map(|(smaller, less)| (seconds / less).powf(1.0 / (size as f64 / smaller as f64).log2()))
    }

    fn print(&self, name: &str, run: &Run, target: Option<f64>, growth: Option<f64>) {
        let target = target.map_or_else(String::new, |target| format!("{target}"));
        let growth = growth.map_or_else(String::new, |growth| format!("{growth:.2}"));
        let nodes = run.peak_nodes.map_or_else(String::new, |nodes| nodes.to_string());
        print!("{name:NAME$} {:9} {:>9.3} {target:>8} {growth:>6}", run.verdict, run.usage.seconds);
        print!(" {:>8.1} {nodes:>10} {:>10}", run.usage.megabytes, run.usage.bytes);
    }

    fn print_peers(&self, published: &[String], run: &Run, peers: &[peer::Run]) {
        for cell in published {
            print!(" {cell:>CELL$}");
        }
        for peer in peers {
            let seconds = peer.usage.seconds;
            let cell = match (peer.usage.code, peer.verdict) {
                (_, Some(_)) => published_cell(Published::Took(seconds), run.usage.seconds),
                (None, None) => published_cell(Published::Over(seconds), run.usage.seconds),
                (Some(code), None) => format!("exit {code}"),
            };
            print!(" {cell:>CELL$}");
        }
        println!();
    }

    fn compare(&mut self, name: &str, run: &Run, peers: &[peer::Run]) {
        for (peer, found) in self.peers.iter().zip(peers) {
            if found.verdict.is_some_and(|verdict| verdict != run.verdict && run.verdict != "unknown") {
                self.complaints.push(format!("{name}: {} has another verdict", peer.name));
            }
        }
    }
}

/// A peer's seconds, and how many times ours they are.
fn published_cell(published: Published, ours: f64) -> String {
    let ratio = |theirs: f64| match theirs / ours {
        ratio if ratio < 10.0 => format!("{ratio:.1}x"),
        ratio => format!("{ratio:.0}x"),
    };
    match published {
        Published::Took(seconds) => format!("{seconds:.2} ({})", ratio(seconds)),
        Published::Over(seconds) => format!(">{seconds:.0} (>{})", ratio(seconds)),
        Published::Unmeasured => "-".into(),
    }
}
