//! Alarms that are told once: those that say the same in one function.
//!
//! A macro that reads through a pointer fails wherever it stands, and so does each branch of a `switch` that uses the
//! pointer. Who has read one of these paths knows them all.

use super::{Answer, Site, Status};
use std::collections::BTreeMap;

/// Places that may fail, of which one is shown.
#[derive(Debug)]
pub struct Alarm<'a> {
    /// The one that has the shortest path, the first of such.
    pub shown: &'a Site,
    /// The others, in order.
    pub others: Vec<&'a Site>,
}

/// What may fail, in the order in which the first of each comes.
pub fn together(answer: &Answer) -> Vec<Alarm<'_>> {
    let mut alarms: Vec<Vec<&Site>> = Vec::new();
    let mut known: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    for site in answer.sites.iter().filter(|site| site.status == Status::MayFail) {
        let number = *known.entry((&site.path, &site.function, &site.message)).or_insert(alarms.len());
        if number == alarms.len() {
            alarms.push(Vec::new());
        }
        alarms[number].push(site);
    }
    alarms.into_iter().map(choose).collect()
}

/// Each by itself.
pub fn apart(answer: &Answer) -> Vec<Alarm<'_>> {
    let failing = answer.sites.iter().filter(|site| site.status == Status::MayFail);
    failing.map(|site| choose(vec![site])).collect()
}

fn choose(mut places: Vec<&Site>) -> Alarm<'_> {
    let steps = |site: &Site| site.failure.as_ref().map_or(usize::MAX, |path| path.steps.len());
    let least = (0..places.len()).min_by_key(|&number| steps(places[number])).expect("there is one");
    Alarm { shown: places.remove(least), others: places }
}
