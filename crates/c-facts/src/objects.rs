//! Where pointers point: what `target` facts are given, and what they say.

use super::chosen::{Aim, AimList, displacement, further};
use super::facts::Known;
use super::scribe::{Label, Scribe, Value};
use super::things::{Bindings, Thing};
use hardbop_c_cells::{CellId, Source, SourceKind};
use hardbop_c_graph::Action;
use hardbop_icfg::ExprId;
use hardbop_icfg::words::Word;
use hardbop_lang_flow::tree::{Expr, ExprKind, FactKind, FamilyId};
use hardbop_points_to::{ObjectKind, Offset, Target};
use std::rc::Rc;

/// An object that a fact is given.
#[derive(Clone, Debug)]
pub(crate) enum Object {
    /// This one.
    Is(Target),
    /// The one that a fact says.
    Held(Rc<AimList>, Word),
    /// So many bytes further than a fact says, if it is known how many, in the same object.
    Moved(Rc<AimList>, Word, Option<i64>),
    /// One to which nothing pointed before.
    New,
    /// Any.
    Any,
}

impl<'m> Scribe<'_, 'm> {
    /// The family that says where pointers point.
    pub(crate) fn target_family(&self) -> Option<FamilyId> {
        self.families.iter().copied().find(|&family| self.analysis.declaration(family).kind == FactKind::Target)
    }

    /// An object, as an analysis writes it.
    pub(crate) fn object_value(&mut self, expr: &Expr, bindings: &Bindings<'m>, label: &mut Label) -> Object {
        match &expr.kind {
            ExprKind::Fact(fact) => match self.fact_value(fact, bindings, label) {
                Value::Object(object) => object,
                _ => Object::Any,
            },
            ExprKind::Meta(meta) => match bindings.get(&meta.id).cloned() {
                Some(Thing::Object(target)) if matches!(target.offset, Offset::At(_)) => Object::Is(target),
                Some(thing) => self.object_of(&thing).map_or(Object::Any, Object::Is),
                None => Object::Any,
            },
            ExprKind::New => Object::New,
            _ => Object::Any,
        }
    }

    /// The object that a thing is, where it is one place in memory.
    fn object_of(&mut self, thing: &Thing<'m>) -> Option<Target> {
        use hardbop_c_cells::Key;
        let cell = self.cell_of(thing)?;
        match self.shaper.cells.rows[cell].key {
            Key::Part(part) | Key::Whole(part) => Some(Target { object: part.object, offset: Offset::At(part.offset) }),
            _ => None,
        }
    }

    /// Whether two objects are one.
    pub(crate) fn same_object(&mut self, left: &Object, right: &Object, label: &mut Label) -> ExprId {
        match (left, right) {
            (held @ (Object::Held(..) | Object::Moved(..)), Object::Is(target))
            | (Object::Is(target), held @ (Object::Held(..) | Object::Moved(..))) => {
                self.is_aim(held, Aim::Place(*target), label)
            }
            (Object::Held(left, first), Object::Held(right, second)) => {
                // Two pointers that both point elsewhere, or to one of many, may point to the same or not.
                let mut is_one = |aim: Aim| match aim {
                    Aim::Place(target) => self.shaper.cells.is_followed(target),
                    Aim::Before(_) => true,
                    Aim::Elsewhere => false,
                };
                let mut shared: Vec<Aim> = left.iter().copied().filter(|aim| right.contains(aim)).collect();
                shared.retain(|&aim| is_one(aim));
                let (mut told, mut both) = (Vec::new(), Vec::new());
                for aim in shared {
                    let codes = [(left, first), (right, second)].map(|(list, word)| {
                        let code = list.code(aim).expect("it is in both");
                        self.has_code(word, code)
                    });
                    told.extend(codes);
                    both.push(self.builder.and(codes[0], codes[1]));
                }
                let (told, both) = (self.builder.any(told), self.builder.any(both));
                let either = self.either(label);
                self.builder.ite(told, both, either)
            }
            _ => self.either(label),
        }
    }

    pub(crate) fn has_code(&mut self, word: &Word, code: usize) -> ExprId {
        let code = self.builder.number(code as u64);
        self.builder.equal(word, &code)
    }

    /// Whether a pointer points there.
    pub(crate) fn is_aim(&mut self, object: &Object, aim: Aim, label: &mut Label) -> ExprId {
        let (list, word, by) = match object {
            Object::Held(list, word) => (list, word, 0),
            Object::Moved(list, word, Some(by)) if list.contains(&Aim::Elsewhere) => (list, word, *by),
            Object::Is(target) => return self.is_place(*target, aim, label),
            Object::Moved(..) | Object::New | Object::Any => return self.perhaps(aim, label),
        };
        let before = moved(aim, by);
        match before.and_then(|before| list.code(before)) {
            Some(code) => self.has_code(word, code),
            // The list has every place with a name that the pointer can be at this distance from.
            None if before.is_some_and(|before| list.is_untold(before)) => self.either(label),
            None if self.is_named(aim) && has_distance(list, by) => self.builder.constant(false),
            None => self.perhaps(aim, label),
        }
    }

    fn is_named(&self, aim: Aim) -> bool {
        let Aim::Place(place) = aim else { return false };
        self.facts.aims().is_some_and(|aims| aims.is_named(place))
    }

    fn is_place(&mut self, target: Target, aim: Aim, label: &mut Label) -> ExprId {
        match aim {
            Aim::Place(place) if place == target => self.builder.constant(true),
            _ if self.is_told(target, aim) => self.builder.constant(false),
            _ => self.perhaps(aim, label),
        }
    }

    /// Whether a pointer of which nothing is known points there: not to what is not there yet.
    fn perhaps(&mut self, aim: Aim, label: &mut Label) -> ExprId {
        let either = self.either(label);
        match (aim, self.facts.chosen()) {
            (Aim::Before(_), Some(chosen)) => {
                let exists = self.var(chosen.exists, label);
                self.builder.and(either, exists)
            }
            _ => either,
        }
    }

    /// Whether it is known that a pointer to `target` does not point there.
    fn is_told(&self, target: Target, aim: Aim) -> bool {
        match (aim, self.facts.aims()) {
            (Aim::Before(distance), Some(aims)) => {
                further(target, distance).is_some_and(|behind| aims.is_named(behind))
            }
            (Aim::Place(place), Some(aims)) => aims.is_named(target) || place.object != target.object,
            _ => false,
        }
    }

    /// An object as one of `list`.
    pub(crate) fn object_in(&mut self, list: &AimList, object: &Object, width: usize, label: &mut Label) -> Word {
        match object {
            Object::Is(target) => match list.code(Aim::Place(*target)) {
                Some(code) => self.builder.number(code as u64),
                None => {
                    let told: Vec<Aim> = list.iter().copied().filter(|&aim| self.is_told(*target, aim)).collect();
                    self.open(list, width, |aim| !told.contains(&aim), label)
                }
            },
            Object::Held(from, word) => self.landing(list, (from, word), Some(0), width, label),
            Object::Moved(from, word, by) => self.landing(list, (from, word), *by, width, label),
            Object::New => self.new_object(list, width, label),
            Object::Any => self.open(list, width, |_| true, label),
        }
    }

    /// What is said of a pointer as one of `from`, of one that is so many bytes further, as one of `list`.
    fn landing(
        &mut self,
        list: &AimList,
        (from, word): (&AimList, &Word),
        by: Option<i64>,
        width: usize,
        label: &mut Label,
    ) -> Word {
        // Of what the one does not tell, the other may be anything.
        let is_told = |aim: Aim| by.and_then(|by| moved(aim, by)).is_some_and(|before| from.contains(&before));
        let mut result = self.open(list, width, |aim| !is_told(aim), label);
        for (index, &aim) in from.iter().enumerate() {
            let Some(code) = landing_code(list, aim, by, from.is_vague()) else { continue };
            let (is_it, code) = (self.has_code(word, index), self.builder.number(code as u64));
            result = self.builder.ite_word(is_it, &code, &result);
        }
        result
    }

    /// Any that is allowed; where there is no name for all others, any at all.
    fn open(&mut self, list: &AimList, width: usize, is_allowed: impl Fn(Aim) -> bool, label: &mut Label) -> Word {
        let bits = (0..width).map(|_| self.either(label)).collect();
        let mut word = self.builder.word(bits).expect("few bits");
        let Some(elsewhere) = list.code(Aim::Elsewhere) else { return word };
        let can_be_chosen = self.facts.chosen().map(|chosen| {
            let (exists, has_escaped) = (self.var(chosen.exists, label), self.var(chosen.has_escaped, label));
            if list.is_from_outside() { self.builder.and(exists, has_escaped) } else { exists }
        });
        let elsewhere = self.builder.number(elsewhere as u64);
        let raw = word.clone();
        for code in 0..1usize << width {
            let mut is_out = self.has_code(&raw, code);
            match (list.get(code), can_be_chosen) {
                (Some(Aim::Elsewhere), _) => continue,
                // Nothing points to what is not there yet, and code outside only to what it knows.
                (Some(aim @ Aim::Before(_)), Some(can_be)) if is_allowed(*aim) => {
                    let missing = self.builder.not(can_be);
                    is_out = self.builder.and(is_out, missing);
                }
                (Some(aim), _) if is_allowed(*aim) => continue,
                _ => {}
            }
            word = self.builder.ite_word(is_out, &elsewhere, &word);
        }
        word
    }

    /// The chosen object, if it is not there yet, or one that is not followed.
    fn new_object(&mut self, list: &AimList, width: usize, label: &mut Label) -> Word {
        let (Some(elsewhere), Some(chosen)) = (list.code(Aim::Elsewhere), self.facts.chosen()) else {
            return self.open(list, width, |_| true, label);
        };
        let [was_there, was_known] = [chosen.exists, chosen.has_escaped].map(|var| {
            let before = label.updates.get(&var).copied();
            before.unwrap_or_else(|| self.var(var, label))
        });
        let mut is_there = was_there;
        let mut word = self.builder.number(elsewhere as u64);
        for (code, &aim) in list.iter().enumerate() {
            // A pointer to what is new points to its first byte.
            let Aim::Before(distance @ 0..) = aim else { continue };
            // All that get the pointer point to the same.
            let is_it = label.made.get(&distance).copied().unwrap_or_else(|| {
                let (picks, missing) = (self.either(label), self.builder.not(is_there));
                self.builder.and(picks, missing)
            });
            label.made.insert(distance, is_it);
            let code = self.builder.number(code as u64);
            word = self.builder.ite_word(is_it, &code, &word);
            is_there = self.builder.or(is_there, is_it);
        }
        let is_known = self.builder.constant(self.made_here_escapes());
        let is_known = self.builder.ite(was_there, was_known, is_known);
        label.updates.extend([(chosen.exists, is_there), (chosen.has_escaped, is_known)]);
        word
    }

    /// Whether code outside can get hold of what the statement at hand makes.
    fn made_here_escapes(&self) -> bool {
        let subject = self.shaper.cells.subject;
        let stmt = self.here.and_then(|edge| match subject.graph.actions[edge] {
            Action::External(stmt, _) => Some(stmt),
            _ => None,
        });
        let is_it = |kind: ObjectKind| match kind {
            ObjectKind::Heap(_, span) | ObjectKind::Opaque(_, span) => stmt.is_some_and(|stmt| stmt.span == span),
            _ => false,
        };
        let mut made = subject.points_to.objects().filter(|&(_, kind)| is_it(kind)).peekable();
        made.peek().is_none() || made.any(|(object, _)| subject.points_to.has_escaped(object))
    }

    /// What a fact is given that an operand of `source` has: a pointer that is added to points somewhere else in the
    /// object.
    pub(crate) fn moved(&self, source: &Source<'m>, value: Value) -> Value {
        match (&source.kind, value) {
            (SourceKind::Binary(..), Value::Object(Object::Held(list, word))) => {
                let by = displacement(self.shaper.module(), source);
                Value::Object(Object::Moved(list, word, by))
            }
            (SourceKind::Binary(..), Value::Object(Object::Is(target))) => {
                let by = displacement(self.shaper.module(), source);
                Value::Object(by.and_then(|by| further(target, by)).map_or(Object::Any, Object::Is))
            }
            (_, value) => value,
        }
    }

    /// Where a pointer points of which no fact tells: there may be one place only.
    pub(crate) fn only_object(&self, pointer: CellId) -> Object {
        match self.shaper.cells.held(pointer).as_deref() {
            Some(&[target]) if target.object != self.shaper.cells.subject.points_to.unknown() => match target.offset {
                Offset::At(_) => Object::Is(target),
                _ => Object::Any,
            },
            _ => Object::Any,
        }
    }

    /// Where a thing points, as far as a fact tells.
    pub(crate) fn aim_of(&mut self, pointer: &Thing<'m>, label: &mut Label) -> Object {
        let Some(family) = self.target_family() else { return Object::Any };
        let value = match pointer {
            Thing::Value(source) => self.value_of(family, source, label),
            _ => match self.place_of(pointer) {
                Some(access) => self.read(family, &access, label),
                None => return Object::Any,
            },
        };
        match value {
            Value::Object(object) => object,
            _ => Object::Any,
        }
    }

    /// The fact that says where a pointer points, if there is one.
    pub(crate) fn targets_of(&mut self, pointer: CellId) -> Option<super::scribe::Pointed> {
        let family = self.target_family()?;
        match self.fact(family, pointer) {
            Some(Known::Target(list, bits)) => Some((list, bits)),
            _ => None,
        }
    }
}

/// Where a pointer points that is so many bytes before one that points there.
fn moved(aim: Aim, by: i64) -> Option<Aim> {
    match aim {
        Aim::Place(_) if by == 0 => Some(aim),
        Aim::Place(target) => further(target, by.checked_neg()?).map(Aim::Place),
        Aim::Before(distance) => distance.checked_add(by).map(Aim::Before),
        Aim::Elsewhere => None,
    }
}

/// Whether a list tells of places at this distance from the pointer.
fn has_distance(list: &AimList, distance: i64) -> bool {
    let is_open = list.iter().any(|aim| matches!(aim, Aim::Before(_)));
    list.contains(&Aim::Elsewhere) && (!is_open || list.contains(&Aim::Before(distance)))
}

/// Which of `list` a pointer is that is so many bytes further than one that points there; nothing where it is open.
fn landing_code(list: &AimList, aim: Aim, by: Option<i64>, is_vague: bool) -> Option<usize> {
    let exact = by.and_then(|by| moved(aim, by.checked_neg()?));
    let code = exact.and_then(|exact| list.code(exact));
    let elsewhere = list.code(Aim::Elsewhere);
    match (aim, by) {
        (Aim::Elsewhere, _) => None,
        // In the object that the chosen one is in there may be others that have a name.
        (Aim::Before(_), Some(_)) => code.or(elsewhere.filter(|_| !is_vague)),
        (Aim::Before(_), None) => None,
        // Places that are not told from others may be elements of an array, and then it is not known which.
        (Aim::Place(target), by) if elsewhere.is_none() && by != Some(0) => {
            let is_near = |own: &Aim| matches!(own, Aim::Place(own) if own.object == target.object);
            let mut near = (0..list.len()).filter(|&code| is_near(&list[code]));
            near.next().filter(|_| near.next().is_none())
        }
        (Aim::Place(_), _) => code,
    }
}
