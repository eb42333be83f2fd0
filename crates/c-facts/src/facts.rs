//! The facts of a program: which variables say what about which cell.
//!
//! Facts are made when they are first spoken of.

use super::Form;
use super::chosen::{Aim, AimList, Aims};
use super::tuples::About;
use hardbop_base::{IndexVec, Span};
use hardbop_c_cells::{CHOSEN, CellId, Cells, Home, Key, Ranges, Sort};
use hardbop_icfg::small::{Range, Reading};
use hardbop_icfg::{ProcId, Scope, VarId};
use hardbop_lang_flow::Analysis;
use hardbop_lang_flow::tree::{Declaration, FactKind, FamilyId, Message, MetaId, Part, Sort as MetaSort};
use hardbop_points_to::{Cell, Offset, Target};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What is known of one thing.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// Whether it is so.
    Flag(VarId),
    /// Whether it may be so, and whether it may not.
    May {
        /// It may be so.
        yes: VarId,
        /// It may not be so.
        no: VarId,
    },
    /// A number.
    Number(Range, Rc<[VarId]>),
    /// Which of these it points to.
    Target(Rc<AimList>, Rc<[VarId]>),
}

impl Known {
    /// The variables that say it, least significant first.
    pub(crate) fn bits(&self) -> Vec<VarId> {
        match self {
            Self::Flag(var) => vec![*var],
            Self::May { yes, no } => vec![*yes, *no],
            Self::Number(_, bits) | Self::Target(_, bits) => bits.to_vec(),
        }
    }
}

/// A fact.
#[derive(Clone, Debug)]
pub(crate) struct FactRow {
    pub(crate) family: FamilyId,
    pub(crate) about: Vec<About>,
    pub(crate) known: Known,
}

/// What there is about several things.
#[derive(Clone, Debug)]
pub(crate) enum Lookup {
    /// A fact.
    Fact(Known),
    /// The analysis leaves it out: it does not hold.
    LeftOut,
    /// It cannot be followed.
    Unknown,
}

/// A variable that has no final number yet.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) name: String,
    pub(crate) scope: Scope,
    pub(crate) span: Span,
}

/// A pointer with more targets than this is not followed.
const MOST_TARGETS: usize = 8;

/// All facts.
#[derive(Default, Debug)]
pub(crate) struct Facts {
    pub(crate) rows: Vec<FactRow>,
    pub(crate) vars: IndexVec<VarId, Draft>,
    index: FxHashMap<(FamilyId, CellId), Option<usize>>,
    tuples: FxHashMap<(FamilyId, Vec<About>), Result<usize, Lookup>>,
    /// For each cell the facts about several things that depend on it.
    with: FxHashMap<CellId, Vec<usize>>,
    /// The cells that facts are about.
    cells: BTreeSet<CellId>,
    /// The facts that are a procedure's own.
    own: FxHashMap<ProcId, Vec<usize>>,
    /// Where pointers may point and what is known of the chosen object, in an analysis that chooses one.
    chosen: Option<(Aims, Chosen)>,
}

/// What is known of the chosen object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen {
    /// It has been made, or was there from the start.
    pub(crate) exists: VarId,
    /// Code outside may have a pointer to it.
    pub(crate) has_escaped: VarId,
}

impl Facts {
    /// Facts of an analysis that follows one object of those that are not told apart.
    pub(crate) fn of_chosen(aims: Aims) -> Self {
        let mut facts = Self::default();
        let [exists, has_escaped] = ["the object is there", "code outside knows the object"]
            .map(|name| facts.vars.push(Draft { name: name.into(), scope: Scope::Global, span: Span::new(0, 0) }));
        facts.chosen = Some((aims, Chosen { exists, has_escaped }));
        facts
    }

    /// Where pointers may point, in an analysis that follows one object of those that are not told apart.
    pub(crate) fn aims(&self) -> Option<&Aims> {
        self.chosen.as_ref().map(|(aims, _)| aims)
    }

    /// What is known of the chosen object.
    pub(crate) fn chosen(&self) -> Option<Chosen> {
        self.chosen.as_ref().map(|&(_, chosen)| chosen)
    }

    /// The fact of a family about a cell, if there is one.
    pub(crate) fn of(
        &mut self,
        analysis: &Analysis,
        cells: &Cells<'_, '_>,
        ranges: &Ranges,
        family: FamilyId,
        cell: CellId,
        form: Form,
    ) -> Option<Known> {
        if let Some(&known) = self.index.get(&(family, cell)) {
            return known.map(|fact| self.rows[fact].known.clone());
        }
        let known = self.make(analysis, cells, ranges, family, cell, form);
        let fact = known.clone().map(|known| self.add_row(FactRow { family, about: vec![About::Cell(cell)], known }));
        self.index.insert((family, cell), fact);
        known
    }

    fn add_row(&mut self, row: FactRow) -> usize {
        let number = self.rows.len();
        let owner = row.known.bits().first().and_then(|&bit| self.vars[bit].scope.owner());
        owner.into_iter().for_each(|proc| self.own.entry(proc).or_default().push(number));
        self.cells.extend(row.about.iter().filter_map(|about| match about {
            About::Cell(cell) => Some(*cell),
            _ => None,
        }));
        self.rows.push(row);
        number
    }

    /// The facts that are the own of `proc`.
    pub(crate) fn own(&self, proc: ProcId) -> impl Iterator<Item = &FactRow> {
        self.own.get(&proc).into_iter().flatten().map(|&row| &self.rows[row])
    }

    fn make(
        &mut self,
        analysis: &Analysis,
        cells: &Cells<'_, '_>,
        ranges: &Ranges,
        family: FamilyId,
        cell: CellId,
        form: Form,
    ) -> Option<Known> {
        let declaration = analysis.declaration(family);
        let [parameter] = declaration.parameters[..] else { return None };
        let row = &cells.rows[cell];
        let fits = match analysis.sort(parameter.id) {
            MetaSort::Pointer => cells.sort(row.ty) == Sort::Pointer,
            MetaSort::Integer => cells.sort(row.ty) == Sort::Integer,
            // What is in a union is one thing, whichever member it is: followed alone, it is what may be so of some of them.
            MetaSort::Scalar => row.ty.is_some() || form == Form::Subset && matches!(row.key, Key::Part(_)),
            // Where one object stands for those that are not told apart, scalars are no objects of their own.
            MetaSort::Object => match row.key {
                Key::View(..) => false,
                key => self.chosen.is_none() || matches!(key, Key::Whole(_) | Key::Chosen),
            },
            _ => false,
        };
        if !fits {
            return None;
        }
        let name = format!("{}({})", analysis.families[family].name, row.name);
        let scope = match row.home {
            Home::Global | Home::Summary => Scope::Global,
            Home::Parameter(proc) => Scope::Parameter(proc),
            Home::Local(proc) => Scope::Local(proc),
            Home::Result(proc) => Scope::Result(proc),
        };
        let span = span_of(cells, cell);
        match declaration.kind {
            // Where facts are followed one at a time, one is enough to say what any of many things may be.
            FactKind::Boolean if row.home == Home::Summary && form == Form::Sets => {
                Some(self.add_may(&name, scope, span))
            }
            FactKind::Boolean => Some(self.add_flag(name, scope, span)),
            FactKind::Small => {
                let range = ranges.of(cells, cell)?;
                Some(Known::Number(range, self.bits(&name, scope, span, range.width())))
            }
            FactKind::Target => {
                let list = match self.aims() {
                    Some(aims) => aims.of(cell)?,
                    None => targets(cells, cell)?,
                };
                let width = (usize::BITS - (list.len() - 1).leading_zeros()) as usize;
                Some(Known::Target(list, self.bits(&name, scope, span, width)))
            }
        }
    }

    /// A fact that is true or false.
    pub(crate) fn add_flag(&mut self, name: String, scope: Scope, span: Span) -> Known {
        Known::Flag(self.vars.push(Draft { name, scope, span }))
    }

    /// A fact that may be true and may be false.
    pub(crate) fn add_may(&mut self, name: &str, scope: Scope, span: Span) -> Known {
        let yes = self.vars.push(Draft { name: format!("may {name}"), scope, span });
        let no = self.vars.push(Draft { name: format!("may not {name}"), scope, span });
        Known::May { yes, no }
    }

    /// The fact about several things, if it has been asked for before.
    pub(crate) fn find_tuple(&self, family: FamilyId, about: &[About]) -> Option<Lookup> {
        self.tuples.get(&(family, about.to_vec())).map(|found| match found {
            Ok(row) => Lookup::Fact(self.rows[*row].known.clone()),
            Err(lookup) => lookup.clone(),
        })
    }

    /// Remembers what there is about several things, and the cells that it depends on.
    pub(crate) fn add_tuple(&mut self, family: FamilyId, about: &[About], lookup: &Lookup, cells: &[CellId]) {
        let found = match lookup {
            Lookup::Fact(known) => {
                let row = self.add_row(FactRow { family, about: about.to_vec(), known: known.clone() });
                cells.iter().for_each(|&cell| self.with.entry(cell).or_default().push(row));
                Ok(row)
            }
            other => Err(other.clone()),
        };
        self.tuples.insert((family, about.to_vec()), found);
    }

    /// The facts about several things that depend on one of these cells.
    pub(crate) fn tuples_with(&self, cells: &[CellId]) -> Vec<(FamilyId, Vec<About>)> {
        let rows: BTreeSet<usize> = cells.iter().filter_map(|cell| self.with.get(cell)).flatten().copied().collect();
        rows.into_iter().map(|row| (self.rows[row].family, self.rows[row].about.clone())).collect()
    }

    /// The facts of a family about several things.
    pub(crate) fn tuples_of(&self, family: FamilyId) -> Vec<Vec<About>> {
        self.rows.iter().filter(|row| row.family == family).map(|row| row.about.clone()).collect()
    }

    /// Whether there is a fact of a family about a cell.
    pub(crate) fn has(&self, family: FamilyId, cell: CellId) -> bool {
        self.index.get(&(family, cell)).is_some_and(Option::is_some)
    }

    /// The cells of which some fact is followed.
    pub(crate) fn cells(&self) -> &BTreeSet<CellId> {
        &self.cells
    }

    fn bits(&mut self, name: &str, scope: Scope, span: Span, width: usize) -> Rc<[VarId]> {
        (0..width).map(|bit| self.vars.push(Draft { name: format!("{name}#{bit}"), scope, span })).collect()
    }
}

pub(crate) fn span_of(cells: &Cells<'_, '_>, cell: CellId) -> Span {
    use hardbop_points_to::ObjectKind;
    let subject = cells.subject;
    let of_object = |cell: Cell| match subject.points_to.kind(cell.object) {
        ObjectKind::Variable(var) => subject.module.vars[var].span,
        _ => Span::new(0, 0),
    };
    match cells.rows[cell].key {
        Key::Part(part) | Key::Spread(part) | Key::View(part, _) | Key::Whole(part) => of_object(part),
        Key::Given(var, _) => subject.module.vars[var].span,
        _ => Span::new(0, 0),
    }
}

/// The targets of a pointer that is worth following: several, each known to the byte.
fn targets(cells: &Cells<'_, '_>, cell: CellId) -> Option<Rc<AimList>> {
    let row = &cells.rows[cell];
    let subject = cells.subject;
    let part = match row.key {
        Key::Part(part) => part,
        Key::View(part, _) if row.home != Home::Summary => part,
        Key::Given(var, offset) => Cell { object: subject.points_to.variable(var), offset },
        _ => return None,
    };
    let targets = subject.points_to.points_to_cell(part);
    let is_known =
        |target: &Target| matches!(target.offset, Offset::At(_)) && target.object != subject.points_to.unknown();
    let is_worth = (2..=MOST_TARGETS).contains(&targets.len()) && targets.iter().all(is_known);
    is_worth.then(|| Rc::new(AimList::of_places(targets)))
}

/// How the values of a fact read to the user, by number.
pub(crate) fn readings(
    analysis: &Analysis,
    cells: &Cells<'_, '_>,
    row: &FactRow,
    name: &impl Fn(About) -> String,
) -> Vec<String> {
    let declaration = analysis.declaration(row.family);
    if is_of_model(cells, row) {
        return Vec::new();
    }
    let say = |message: &Message, value: &str| say(declaration, row, name, message, value);
    match (&row.known, &declaration.readings[..]) {
        (Known::Flag(_), [yes, no]) => vec![say(no, ""), say(yes, "")],
        (Known::Number(range, bits), [message]) => {
            let codes = 0..1u64 << bits.len();
            codes.map(|code| say_number(message, range.read(code), &say)).collect()
        }
        (Known::Target(targets, _), [message]) => {
            let name = |aim: &Aim| match aim {
                Aim::Place(Target { object, offset: Offset::At(offset) }) => {
                    cells.name_of(Cell { object: *object, offset: *offset })
                }
                Aim::Place(_) => String::new(),
                Aim::Before(0) => CHOSEN.to_owned(),
                Aim::Before(_) => format!("what {CHOSEN} is in"),
                Aim::Elsewhere => "something else".to_owned(),
            };
            targets.iter().map(|aim| say(message, &name(aim))).collect()
        }
        _ => Vec::new(),
    }
}

/// How it reads that one of the things may be so that a fact is about, and that one may not be.
pub(crate) fn shared(
    analysis: &Analysis,
    cells: &Cells<'_, '_>,
    row: &FactRow,
    name: &impl Fn(About) -> String,
) -> Option<[String; 2]> {
    let declaration = analysis.declaration(row.family);
    match (&row.known, &declaration.readings[..]) {
        (Known::May { .. }, messages @ [_, _]) if !is_of_model(cells, row) => {
            // A member of all structures of a type, or of all that one line makes.
            let is_member = |about: About| matches!(about, About::Cell(cell) if !cells.is_one_array(cell) && name(about).contains('.'));
            let name = |about: About| if is_member(about) { format!("some {}", name(about)) } else { name(about) };
            Some([0, 1].map(|index: usize| say(declaration, row, &name, &messages[index], "")))
        }
        _ => None,
    }
}

/// How a number reads: one that is only known to be small or large is compared where a text says that it is equal.
fn say_number(message: &Message, number: Reading, say: &impl Fn(&Message, &str) -> String) -> String {
    let sign = match number {
        Reading::Is(_) => return say(message, &number.to_string()),
        Reading::Below(_) => "<",
        Reading::Above(_) => ">",
    };
    let compared = message.parts.iter().position(|part| *part == Part::Value).and_then(|value| {
        let Part::Text(text) = message.parts.get(value.checked_sub(1)?)? else { return None };
        let before = text.strip_suffix("= ").filter(|rest| !rest.ends_with(['=', '<', '>', '!']))?;
        let mut parts = message.parts.clone();
        parts[value - 1] = Part::Text(format!("{before}{sign} "));
        Some(Message { parts, span: message.span })
    });
    let (Reading::Is(bound) | Reading::Below(bound) | Reading::Above(bound)) = number;
    match compared {
        Some(message) => say(&message, &bound.to_string()),
        None => say(message, &number.to_string()),
    }
}

fn is_of_model(cells: &Cells<'_, '_>, row: &FactRow) -> bool {
    row.about.iter().any(|about| matches!(about, About::Cell(cell) if cells.is_of_model(*cell)))
}

fn say(
    declaration: &Declaration,
    row: &FactRow,
    name: &impl Fn(About) -> String,
    message: &Message,
    value: &str,
) -> String {
    let named = |meta: MetaId| {
        let parameter = declaration.parameters.iter().position(|parameter| parameter.id == meta);
        parameter.map_or_else(String::new, |parameter| name(row.about[parameter]))
    };
    let parts = message.parts.iter().map(|part| match part {
        Part::Text(text) => text.clone(),
        Part::Meta(meta) => named(meta.id),
        Part::Value => value.to_owned(),
    });
    parts.collect()
}
