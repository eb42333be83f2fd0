//! Which crate may depend on which: the diagram of `ARCHITECTURE.md` against the manifests.

use crate::{report, root};
use std::collections::{BTreeMap, BTreeSet};

type Arrows = BTreeMap<String, BTreeSet<String>>;

#[test]
fn crates_depend_as_the_diagram_says() {
    let (drawn, found) = (drawn(), found());
    let mut complaints = Vec::new();
    for (from, targets) in &found {
        let Some(allowed) = drawn.get(from) else {
            complaints.push(format!("`{from}` is not in the diagram of ARCHITECTURE.md"));
            continue;
        };
        complaints.extend(targets.difference(allowed).map(|to| format!("{from} -> {to} is not in the diagram")));
        complaints.extend(allowed.difference(targets).map(|to| format!("{from} -> {to} is in the diagram only")));
    }
    complaints.extend(drawn.keys().filter(|name| !found.contains_key(*name)).map(|name| format!("no crate `{name}`")));
    report(complaints);
}

#[test]
fn arrows_lead_down() {
    // In the order of the diagram a crate stands above all that it depends on; so there is no cycle either.
    let (text, drawn) = (diagram(), drawn());
    let order: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let place = |name: &str| order.iter().position(|other| *other == name);
    let up = drawn.iter().flat_map(|(from, targets)| targets.iter().map(move |to| (from, to)));
    let up = up.filter(|(from, to)| place(to).is_none_or(|to| Some(to) < place(from)));
    report(up.map(|(from, to)| format!("{from} -> {to} leads up or nowhere")));
}

/// The lines `crate -> crate, crate` between the fences of the block called `arrows`.
fn diagram() -> String {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, rest) = text.split_once("```arrows\n").expect("ARCHITECTURE.md has a block of arrows");
    rest.split_once("\n```").expect("the block has an end").0.to_owned()
}

fn drawn() -> Arrows {
    let mut arrows = Arrows::new();
    for line in diagram().lines() {
        let (from, to) = line.split_once("->").unwrap_or((line, ""));
        let targets = to.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        arrows.entry(from.trim().to_owned()).or_default().extend(targets);
    }
    arrows
}

/// What the manifests say under `[dependencies]`.
fn found() -> Arrows {
    let mut arrows = Arrows::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let entry = entry.unwrap();
        let text = std::fs::read_to_string(entry.path().join("Cargo.toml")).unwrap();
        let section = text.split("\n[").find_map(|section| section.strip_prefix("dependencies]\n"));
        let names = section.unwrap_or_default().lines().filter_map(|line| line.strip_prefix("hardbop-"));
        let names = names.map(|line| line.split(['.', ' ', '=']).next().unwrap_or_default().to_owned());
        arrows.insert(entry.file_name().into_string().unwrap(), names.collect());
    }
    arrows
}
