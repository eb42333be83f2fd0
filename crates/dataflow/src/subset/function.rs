//! Sparse distributive functions: only what is not kept is written down.

use super::{FactId, Meet, Point};
use std::collections::BTreeMap;

/// A distributive function on sets of facts: `f(S) = generated ∪ ⋃ { f(d) | d ∈ S }`.
///
/// **Invariant:** as in the paper's `R_f`, no fact leads to one that is generated anyway.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Function {
    /// What holds whatever held before, in order.
    generated: Vec<Point>,
    /// What each fact becomes that is not simply kept; in order, and each list too.
    images: Vec<(Point, Vec<Point>)>,
    /// What becomes of facts that are not in `images`.
    rest: Rest,
}

/// What becomes of facts of which nothing is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Rest {
    #[default]
    Kept,
    Dropped,
}

/// What a fact becomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Setting {
    /// This, whatever held before.
    Constant(bool),
    /// With union: whether one of these held. With intersection: whether all did.
    From(Vec<FactId>),
}

impl Function {
    /// Keeps everything.
    pub fn identity() -> Self {
        Self::default()
    }

    /// Generates facts from nothing, and lets each fact in `images` become the facts of its list, none where it is
    /// empty; all other facts are kept. Of a fact that stands twice the lists are taken together.
    pub fn new(generated: &[FactId], images: &[(FactId, Vec<FactId>)]) -> Self {
        let mut generated: Vec<_> = generated.iter().map(|&fact| Point::of(fact)).collect();
        generated.sort_unstable();
        generated.dedup();
        let is_generated = |point: &Point| generated.binary_search(point).is_ok();
        let mut table: BTreeMap<Point, Vec<Point>> = BTreeMap::new();
        for (fact, image) in images {
            let points = image.iter().map(|&fact| Point::of(fact)).filter(|point| !is_generated(point));
            table.entry(Point::of(*fact)).or_default().extend(points);
        }
        // What is generated does not need to be kept as well.
        for &point in &generated {
            table.entry(point).or_default();
        }
        for image in table.values_mut() {
            image.sort_unstable();
            image.dedup();
        }
        Self { generated, images: table.into_iter().collect(), rest: Rest::Kept }
    }

    /// Lets each fact in `images` become the facts of its list, and generates and keeps nothing else.
    pub fn only(images: &[(FactId, Vec<FactId>)]) -> Self {
        Self { rest: Rest::Dropped, ..Self::new(&[], images) }
    }

    /// Whether a fact becomes itself and nothing else, as far as can be seen without looking at others.
    pub(super) fn keeps(&self, point: Point) -> bool {
        self.rest == Rest::Kept && self.images.binary_search_by_key(&point, |(fact, _)| *fact).is_err()
    }

    /// The facts that are not simply kept, where all others are.
    pub(super) fn changed(&self) -> impl Iterator<Item = Point> + '_ {
        self.images.iter().map(|(fact, _)| *fact)
    }

    /// Sets facts at once, all from what held before, and keeps all others; where one is set twice the later counts.
    pub fn assign(settings: &[(FactId, Setting)], meet: Meet) -> Self {
        let last: BTreeMap<_, _> = settings.iter().map(|(fact, setting)| (*fact, setting)).collect();
        let mut generated = Vec::new();
        let mut images: BTreeMap<FactId, Vec<FactId>> = last.keys().map(|&fact| (fact, Vec::new())).collect();
        for (&target, setting) in &last {
            match setting {
                // With intersection this is about facts that do not hold.
                Setting::Constant(value) => generated.extend((*value == (meet == Meet::Union)).then_some(target)),
                Setting::From(sources) => {
                    for &source in sources {
                        let is_kept = !last.contains_key(&source);
                        images
                            .entry(source)
                            .or_insert_with(|| if is_kept { vec![source] } else { Vec::new() })
                            .push(target);
                    }
                }
            }
        }
        Self::new(&generated, &images.into_iter().collect::<Vec<_>>())
    }

    /// Keeps nothing and generates nothing.
    pub fn nothing() -> Self {
        Self::only(&[])
    }

    /// `{ y | ⟨point, y⟩ ∈ R_f }`, without `Λ` itself.
    pub(super) fn image(&self, point: Point) -> Image<'_> {
        if point == Point::LAMBDA {
            return Image::List(&self.generated);
        }
        match self.images.binary_search_by_key(&point, |(fact, _)| *fact) {
            Ok(row) => Image::List(&self.images[row].1),
            Err(_) if self.rest == Rest::Dropped => Image::List(&[]),
            Err(_) => Image::Kept(point),
        }
    }
}

/// What one fact becomes.
#[derive(Clone, Copy)]
pub(super) enum Image<'f> {
    Kept(Point),
    List(&'f [Point]),
}

impl Image<'_> {
    pub(super) fn iter(&self) -> impl Iterator<Item = Point> + '_ {
        let (kept, list): (Option<Point>, &[Point]) = match self {
            Self::Kept(point) => (Some(*point), &[]),
            Self::List(list) => (None, list),
        };
        kept.into_iter().chain(list.iter().copied())
    }
}
