//! The statements and expressions of a program, for facts that are about them.
//!
//! An expression is one that computes something: a constant, a variable or an address is none. Equal expressions of the
//! same variables are one. Those of a recursive function that read its own variables and others as well are left out.

use hardbop_base::{IndexVec, Span, newtype_index};
use hardbop_c_cells::{Assignment, CellId, Home, Shape, Shaper, stripped};
use hardbop_c_core::expr::PlaceUse;
use hardbop_c_core::print::{self, Style};
use hardbop_c_core::{Expr, ExprKind, FunctionId, Place, Projection, Stmt, StmtKind};
use hardbop_c_graph::{Action, CGraph};
use hardbop_icfg::{EdgeId, ProcId};
use hardbop_points_to::Activations;
use rustc_hash::FxHashMap;

newtype_index! {
    /// A statement.
    pub(crate) struct StatementId = "s";
    /// An expression.
    pub(crate) struct ExpressionId = "e";
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) struct StatementRow {
    /// How the user writes it.
    pub(crate) name: String,
    /// The procedure of the variables that it assigns, if they are nobody else's.
    pub(crate) owner: Option<ProcId>,
    /// What it assigns.
    pub(crate) targets: Vec<CellId>,
    /// Where it stands.
    pub(crate) span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct ExpressionRow {
    /// How the user writes it.
    pub(crate) name: String,
    /// The procedure of its variables, if it has such.
    pub(crate) owner: Option<ProcId>,
    /// What it reads.
    pub(crate) cells: Vec<CellId>,
}

/// All statements and expressions.
#[derive(Default, Debug)]
pub(crate) struct Catalogue<'m> {
    pub(crate) statements: IndexVec<StatementId, StatementRow>,
    by_edge: FxHashMap<EdgeId, StatementId>,
    by_text: FxHashMap<Text, StatementId>,
    definitions: FxHashMap<CellId, Vec<StatementId>>,
    pub(crate) expressions: IndexVec<ExpressionId, ExpressionRow>,
    by_expr: FxHashMap<&'m Expr, ExpressionId>,
    mentioning: FxHashMap<CellId, Vec<ExpressionId>>,
}

/// What an edge is an edge of; by address, since statements have no numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Text {
    Stmt(*const Stmt),
    Expr(*const Expr),
    /// The parameters of a function, as a call gives them.
    Given(*const Stmt, FunctionId),
    Edge(EdgeId),
}

impl<'m> Catalogue<'m> {
    /// Those of all edges.
    pub(crate) fn new(shaper: &mut Shaper<'_, 'm>, shapes: &IndexVec<EdgeId, Shape<'m>>) -> Self {
        let mut catalogue = Self::default();
        for (edge, shape) in shapes.iter_enumerated() {
            if let Some(function) = shaper.function(edge) {
                catalogue.add_statement(shaper, edge, shape);
                for expr in expressions(shaper.cells.subject.graph.actions[edge]) {
                    expr.visit(&mut |part| catalogue.add_expression(shaper, function, part));
                }
            }
        }
        catalogue.index();
        catalogue
    }

    fn add_statement(&mut self, shaper: &Shaper<'_, 'm>, edge: EdgeId, shape: &Shape<'m>) {
        let graph = shaper.cells.subject.graph;
        let text = text_of(graph, edge);
        let id = *self.by_text.entry(text).or_insert_with(|| {
            let name = name_of(shaper, edge);
            let span = graph.icfg.nodes[graph.icfg.edges[edge].from].span;
            self.statements.push(StatementRow { name, owner: None, targets: Vec::new(), span })
        });
        self.by_edge.insert(edge, id);
        let (assigned, others): (&[Assignment<'m>], &[Assignment<'m>]) = match (graph.actions[edge], shape) {
            // What a function returns is no variable.
            (Action::Return(_) | Action::Enter(_), _) => (&[], &[]),
            (_, Shape::Assign(assignments) | Shape::Call(_, assignments)) => (assignments, &[]),
            (_, Shape::External(external)) => (&external.results, &external.assigns),
            _ => (&[], &[]),
        };
        let targets = assigned.iter().chain(others).flat_map(|one| one.target.spots.iter().map(|spot| spot.cell));
        self.statements[id].targets.extend(targets);
        let row = &mut self.statements[id];
        row.targets.sort_unstable();
        row.targets.dedup();
        row.owner = owner(shaper, &row.targets);
    }

    fn add_expression(&mut self, shaper: &mut Shaper<'_, 'm>, function: FunctionId, expr: &'m Expr) {
        let expr = stripped(expr);
        if !computes(expr) || self.by_expr.contains_key(expr) {
            return;
        }
        let mut cells = read_cells(shaper, function, expr);
        cells.sort_unstable();
        cells.dedup();
        let name = print::expr(shaper.cells.subject.module, expr, Style::READABLE);
        let own =
            cells.iter().filter(|cell| matches!(shaper.cells.rows[**cell].home, Home::Local(_) | Home::Parameter(_)));
        let owner = match own.count() {
            0 => None,
            count if count == cells.len() => shaper.cells.subject.graph.procs[function],
            // Callees can change a part of it, so it is not the function's alone; and each activation has its own.
            _ if shaper.cells.subject.points_to.call_graph().activations(function) != Activations::One => return,
            _ => None,
        };
        let id = self.expressions.push(ExpressionRow { name, owner, cells });
        self.by_expr.insert(expr, id);
    }

    fn index(&mut self) {
        for (id, row) in self.statements.iter_enumerated() {
            // One that assigns to something else as well is not done with when this is overwritten.
            if let [target] = row.targets[..] {
                self.definitions.entry(target).or_default().push(id);
            }
        }
        for (id, row) in self.expressions.iter_enumerated() {
            row.cells.iter().for_each(|&cell| self.mentioning.entry(cell).or_default().push(id));
        }
    }

    /// The statement that an edge is of.
    pub(crate) fn statement(&self, edge: EdgeId) -> Option<StatementId> {
        self.by_edge.get(&edge).copied()
    }

    /// The statements that assign to a cell and nothing else.
    pub(crate) fn definitions_of(&self, cell: CellId) -> &[StatementId] {
        self.definitions.get(&cell).map_or(&[], |known| known)
    }

    /// The expressions that read a cell.
    pub(crate) fn mentioning(&self, cell: CellId) -> &[ExpressionId] {
        self.mentioning.get(&cell).map_or(&[], |known| known)
    }

    /// The expression that this is, if it computes something.
    pub(crate) fn expression(&self, expr: &Expr) -> Option<ExpressionId> {
        self.by_expr.get(stripped(expr)).copied()
    }

    /// The expressions in this one, itself among them.
    pub(crate) fn parts(&self, expr: &Expr) -> Vec<ExpressionId> {
        let mut parts = Vec::new();
        expr.visit(&mut |part| parts.extend(self.expression(part)));
        parts.sort_unstable();
        parts.dedup();
        parts
    }
}

/// The outermost expressions of an action, as far as it evaluates them itself.
pub(crate) fn expressions<'m>(action: Action<'m>) -> Vec<&'m Expr> {
    let mut found: Vec<&'m Expr> = Vec::new();
    let mut indexes = Vec::new();
    match action {
        Action::Assume(condition, _) => found.push(condition),
        Action::Return(Some(value)) => found.push(value),
        Action::Do(stmt) | Action::External(stmt, _) => {
            stmt.visit_parts(&mut |value| found.push(value), &mut |place| indexes.push(place));
        }
        Action::Call(stmt, _) => stmt.visit_parts(&mut |value| found.push(value), &mut |_| {}),
        Action::Take(stmt, _) => stmt.visit_parts(&mut |_| {}, &mut |place| indexes.push(place)),
        _ => {}
    }
    // What stands in the place that is written is computed, too; the place itself is not read.
    indexes.into_iter().for_each(|place: &'m Place| inside(place, &mut found));
    found
}

fn inside<'m>(place: &'m Place, found: &mut Vec<&'m Expr>) {
    if let hardbop_c_core::Base::Deref(pointer) = &place.base {
        found.push(pointer);
    }
    for step in &place.path {
        if let Projection::Index(index) = step {
            found.push(index);
        }
    }
}

/// The cells that an expression reads.
fn read_cells<'m>(shaper: &mut Shaper<'_, 'm>, function: FunctionId, expr: &'m Expr) -> Vec<CellId> {
    let mut places: Vec<&'m Place> = Vec::new();
    expr.visit_places(&mut |place, usage| {
        if usage == PlaceUse::Read {
            places.push(place);
        }
    });
    places.into_iter().flat_map(|place| shaper.access(function, place).spots).map(|spot| spot.cell).collect()
}

/// Whether something is computed: an operator, or a read from where it is not clear from the text.
fn computes(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Unary(..) | ExprKind::Binary(..) => true,
        ExprKind::Read(place) => place.is_deref() || place.path.iter().any(|step| matches!(step, Projection::Index(_))),
        _ => false,
    }
}

fn owner(shaper: &Shaper<'_, '_>, targets: &[CellId]) -> Option<ProcId> {
    let home = |cell: &CellId| match shaper.cells.rows[*cell].home {
        Home::Local(proc) | Home::Parameter(proc) => Some(proc),
        _ => None,
    };
    let first = home(targets.first()?)?;
    targets.iter().all(|cell| home(cell) == Some(first)).then_some(first)
}

fn text_of(graph: &CGraph<'_>, edge: EdgeId) -> Text {
    match graph.actions[edge] {
        Action::Do(stmt) | Action::Take(stmt, _) | Action::External(stmt, _) => Text::Stmt(stmt),
        Action::Call(stmt, callee) => Text::Given(stmt, callee),
        Action::Assume(expr, _) | Action::Return(Some(expr)) => Text::Expr(expr),
        _ => Text::Edge(edge),
    }
}

fn name_of(shaper: &Shaper<'_, '_>, edge: EdgeId) -> String {
    let subject = shaper.cells.subject;
    let (module, function) = (subject.module, shaper.function(edge));
    match (subject.graph.actions[edge], function) {
        (Action::Do(stmt) | Action::Take(stmt, _) | Action::External(stmt, _), Some(function)) => {
            print::stmt_line(module, function, stmt, Style::READABLE).trim_end_matches(';').to_owned()
        }
        // It gives parameters their values; what it returns goes nowhere yet.
        (Action::Call(stmt, _), Some(function)) => {
            let mut stmt = stmt.clone();
            if let StmtKind::Call { result, .. } = &mut stmt.kind {
                *result = None;
            }
            print::stmt_line(module, function, &stmt, Style::READABLE).trim_end_matches(';').to_owned()
        }
        (Action::Assume(expr, _), _) => print::expr(module, expr, Style::READABLE),
        (Action::Return(Some(expr)), _) => format!("return {}", print::expr(module, expr, Style::READABLE)),
        (Action::Return(None), _) => "return".into(),
        _ => String::new(),
    }
}
