//! Programs whose lines say what the analysis `null` is to say of them.
//!
//! A line that ends in `/* bad */` has a dereference that fails in some run, and must be flagged. One with `/* ok */`
//! has none that can fail, one with `/* dead */` is never reached; both are what `path` can see. `/* rough */` is
//! flagged though it cannot fail: today's answer, not a claim.

use crate::subject::{Said, report, shipped_analysis};
use hardbop_c_facts::Unknown;
use hardbop_dataflow::Precision;

const HEAD: &str = "\
typedef unsigned long size_t;
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t);
void exit(int) __attribute__((noreturn)); int input(void);
struct s { int *f; int *g; int n; struct s *next; };
static int x, y;
";

const MARKS: [(&str, Said); 4] = [
    ("/* bad */", Said::MayFail),
    ("/* ok */", Said::Safe),
    ("/* dead */", Said::Unreachable),
    ("/* rough */", Said::MayFail),
];

#[track_caller]
pub fn check_with(text: &str, unknown: Unknown) {
    let source = format!("{HEAD}{text}");
    let analysis = shipped_analysis("null");
    let points = [Precision::Path, Precision::Projections(4), Precision::Procedure, Precision::Flow, Precision::Auto];
    let mut wrong = Vec::new();
    for point in points {
        let found = report(&analysis, &source, unknown, point);
        for (index, line) in source.lines().enumerate() {
            let Some(&(_, wanted)) = MARKS.iter().find(|(mark, _)| line.contains(mark)) else { continue };
            let here = found.iter().filter(|(at, ..)| *at == index + 1).map(|&(.., said)| said);
            let worst = here.max();
            // Cheaper points may flag more, never less.
            let is_right = match point {
                // What no jump leads to has no place in the graph.
                _ if wanted == Said::Unreachable && worst.is_none() => true,
                Precision::Path | Precision::Auto => worst == Some(wanted),
                _ => worst >= Some(wanted),
            };
            if !is_right {
                wrong.push(format!("{point:?} ({unknown:?}) says {worst:?} of {}", line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{text}", wrong.join("\n"));
}

/// Values from outside are anything, or as the program tests them: there must be none where that matters.
#[track_caller]
pub fn check(text: &str) {
    check_with(text, Unknown::Anything);
    check_with(text, Unknown::AsTested);
}

#[track_caller]
pub fn check_pessimistically(text: &str) {
    check_with(text, Unknown::Anything);
}
