//! `--cache`: the second run says what a fresh one says, and says so sooner.

use crate::{Scratch, json, run};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The first two functions are safe on every path, and not at first sight; the third fails.
const LIST: &str = "struct node { struct node *next; int value; };
static struct node *head;
static int peek(int wanted) {
    struct node *first = 0;
    int is_there = 0;
    if (head && wanted) { first = head; is_there = 1; }
    if (is_there) return first->value;
    return 0;
}
static struct node *second(int wanted) {
    struct node *found = 0;
    if (head) found = head->next;
    if (!wanted) found = 0;
    if (found) return found->next;
    return 0;
}
static int pop(int wanted) {
    struct node *first = wanted ? head : 0;
    return first->value;
}
int main(int count, char **words) {
    struct node one = { 0, 1 }, two = { &one, 2 };
    if (count) head = &two;
    if (second(count)) return 1;
    return peek(count > 1) + pop(count);
}
";

/// A program and a cache of it.
struct Cached {
    program: Scratch,
    directory: PathBuf,
}

impl Cached {
    fn new() -> Self {
        let program = Scratch::new("list.c", LIST);
        let directory = Path::new(program.path()).with_file_name("cache");
        Self { program, directory }
    }

    fn change(&self, from: &str, to: &str) {
        assert!(LIST.contains(from));
        std::fs::write(self.program.path(), LIST.replace(from, to)).unwrap();
    }

    fn args<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        [&["flow", self.program.path(), "--analysis", "null", "--precision", "procedure"], more].concat()
    }

    /// Runs with the cache and without; returns how many questions were asked and how many answers known.
    #[track_caller]
    fn check(&self) -> (u64, u64) {
        let cache = ["--cache", self.directory.to_str().unwrap()];
        let fresh = run(&self.args(&[]));
        let cached = run(&self.args(&cache));
        assert_eq!(String::from_utf8(cached.stdout).unwrap(), String::from_utf8(fresh.stdout).unwrap());
        assert_eq!((cached.status, cached.stderr), (fresh.status, fresh.stderr));
        self.recalled(1)
    }

    /// What the cache is good for now.
    fn recalled(&self, code: i32) -> (u64, u64) {
        let cache = ["--cache", self.directory.to_str().unwrap(), "--stats", "--json"];
        let figures = &json(&self.args(&cache), code)["stats"]["cache"];
        let number = |name: &str| figures[name].as_u64().unwrap();
        (number("asked"), number("known"))
    }

    fn files(&self) -> Vec<PathBuf> {
        let below = |folder: PathBuf| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        below(self.directory.clone()).flat_map(below).flat_map(below).collect()
    }
}

#[test]
fn a_run_that_was_made_before_asks_nothing() {
    let cached = Cached::new();
    let (asked, known) = cached.check();
    assert!(asked > 1 && known == asked, "{known} of {asked}");
    let without = json(&cached.args(&["--stats", "--json"]), 1);
    assert_eq!(without["stats"]["cache"], Value::Null);
}

#[test]
fn what_only_people_read_may_change() {
    let cached = Cached::new();
    cached.recalled(1);
    for (from, to) in [("static int peek", "/* The first\n   value. */\n\nstatic int peek"), ("first", "front")] {
        cached.change(from, to);
        let (asked, known) = cached.recalled(1);
        assert_eq!(known, asked, "`{to}` instead of `{from}`");
    }
}

#[test]
fn after_a_change_only_some_is_asked_again() {
    let cached = Cached::new();
    cached.check();
    cached.change("    if (is_there) return", "    return");
    let (asked, known) = cached.recalled(1);
    assert!(0 < known && known < asked, "{known} of {asked}");
    cached.check();
    cached.change("    return first->value;\n}\nint main", "    return first ? first->value : 0;\n}\nint main");
    let output = run(&cached.args(&["--cache", cached.directory.to_str().unwrap(), "--quiet"]));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn damaged_files_are_as_good_as_none() {
    let cached = Cached::new();
    cached.check();
    for (number, file) in cached.files().into_iter().enumerate() {
        let mut content = std::fs::read(&file).unwrap();
        match number % 3 {
            0 => content.truncate(content.len() / 2),
            1 => content.clear(),
            _ => content.iter_mut().skip(40).for_each(|byte| *byte ^= 1),
        }
        std::fs::write(file, content).unwrap();
    }
    let (asked, known) = cached.recalled(1);
    assert!(asked > 1 && known == 0, "{known} of {asked}");
    let (asked, known) = cached.check();
    assert_eq!(known, asked);
}

#[test]
#[cfg(unix)]
fn what_is_no_plain_file_is_as_good_as_none() {
    let pipe = |file: &Path| assert!(std::process::Command::new("mkfifo").arg(file).status().unwrap().success());
    let endless = |file: &Path| std::os::unix::fs::symlink("/dev/zero", file).unwrap();
    let huge = |file: &Path| std::fs::File::create(file).unwrap().set_len(1 << 40).unwrap();
    for make in [&pipe as &dyn Fn(&Path), &endless, &huge] {
        let cached = Cached::new();
        cached.check();
        for file in cached.files() {
            std::fs::remove_file(&file).unwrap();
            make(&file);
        }
        let (asked, known) = cached.recalled(1);
        assert!(asked > 1 && known == 0, "{known} of {asked}");
        let (asked, known) = cached.check();
        assert_eq!(known, asked);
    }
}

#[test]
fn a_cache_that_cannot_be_used_is_refused() {
    let cached = Cached::new();
    let output = run(&cached.args(&["--cache", cached.program.path()]));
    let printed = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(printed.contains("error[unusable-cache]") && printed.contains("can be written to"), "{printed}");
}
