//! Fair cycles of a symbolic graph: sets of states at its nodes, relations at its arcs, some of them accepting.
//!
//! [`Graph::trim`] is the fair-cycle search of Emerson and Lei, run forwards: it keeps the states that can be reached
//! from an accepting arc between states that are kept, until all are. What remains has behind it an infinite path with
//! infinitely many accepting arcs, so in a finite graph there is a cycle with one iff something remains.
//!
//! A state's *rank* is the round in which it is removed. Along an arc ranks do not decrease, and along an accepting arc
//! they increase: that is the proof that there is no fair cycle.

use hardbop_base::Exhausted;
use hardbop_bdd::{Bdd, Fate, Kernel, Level, PlanId};

/// An arc.
#[derive(Clone, Debug)]
pub struct Arc {
    /// The node it leaves.
    pub from: usize,
    /// The node it leads to.
    pub to: usize,
    /// Which states it relates.
    pub relation: Bdd,
    /// Those of them that it relates by a path with an accepting state.
    pub accepting: Bdd,
    /// The levels of what it may change, before and behind it.
    pub changed: Vec<(Level, Level)>,
    /// Applied to states and the relation: their successors.
    pub post: PlanId,
    /// Brings states behind the arc to where the relation has them.
    pub lift: PlanId,
    /// Applied to lifted states and the relation: their predecessors.
    pub pre: PlanId,
}

/// A graph. States of one node are comparable, states of different nodes need not be.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The states of each node.
    pub states: Vec<Bdd>,
    /// The arcs.
    pub arcs: Vec<Arc>,
}

/// The states of each node that were removed in one round.
pub type Layer = Vec<Bdd>;

impl Graph {
    /// Removes states that no fair cycle leads to (or, backwards, that lead to none), in rounds; what was removed in each
    /// is added to `layers`, if they are wanted. Calls `tidy` with what must survive a collection of garbage.
    pub fn trim(
        &mut self,
        kernel: &mut Kernel,
        way: Way,
        mut layers: Option<&mut Vec<Layer>>,
        tidy: &mut dyn FnMut(&mut Kernel, &[Bdd]),
    ) -> Result<(), Exhausted> {
        let is_weak = self.arcs.iter().all(|arc| arc.accepting == arc.relation);
        loop {
            let mut kept = self.next_to_accepting(kernel, way)?;
            if !is_weak {
                kept = self.closure(kernel, kept, way)?;
            }
            if kept == self.states {
                return Ok(());
            }
            if let Some(layers) = layers.as_deref_mut() {
                let removed = self.states.iter().zip(&kept).map(|(&states, &kept)| kernel.diff(states, kept));
                layers.push(removed.collect::<Result<_, _>>()?);
            }
            self.states = kept;
            if kernel.wants_collection() {
                let layers = layers.iter().flat_map(|layers| layers.iter().flatten());
                let roots: Vec<Bdd> = layers.chain(&self.states).copied().chain(self.relations()).collect();
                tidy(kernel, &roots);
            }
        }
    }

    /// A state on a fair cycle: its node, which is one that `is_wanted`, and the state alone. `alone` picks one of a
    /// node's states.
    ///
    /// # Requires
    /// The graph is trimmed and has states left; each cycle passes a node that is wanted.
    pub fn on_cycle(
        &self,
        kernel: &mut Kernel,
        is_wanted: &dyn Fn(usize) -> bool,
        alone: &dyn Fn(&mut Kernel, usize, Bdd) -> Result<Bdd, Exhausted>,
    ) -> Result<(usize, Bdd), Exhausted> {
        if let Some((node, states)) = self.self_loops(kernel, is_wanted)? {
            return Ok((node, alone(kernel, node, states)?));
        }
        let any = self.states.iter().position(|states| !states.is_false()).expect("states are left");
        let mut state = (any, alone(kernel, any, self.states[any])?);
        loop {
            let mut start = vec![Bdd::FALSE; self.states.len()];
            start[state.0] = state.1;
            let ahead = self.beyond(kernel, &start, Way::Forwards)?;
            let behind = self.beyond(kernel, &start, Way::Backwards)?;
            // Whatever is behind but not ahead is nearer to a first component, and a first component is a fair one.
            let mut further = None;
            for node in 0..behind.len() {
                let only_behind = kernel.diff(behind[node], ahead[node])?;
                if !only_behind.is_false() {
                    further = Some((node, alone(kernel, node, only_behind)?));
                }
            }
            match further {
                Some(further) => state = further,
                None => return self.in_component(kernel, (&ahead, &behind), is_wanted, alone),
            }
        }
    }

    /// A state that is both ahead and behind, and so in the component between.
    fn in_component(
        &self,
        kernel: &mut Kernel,
        (ahead, behind): (&[Bdd], &[Bdd]),
        is_wanted: &dyn Fn(usize) -> bool,
        alone: &dyn Fn(&mut Kernel, usize, Bdd) -> Result<Bdd, Exhausted>,
    ) -> Result<(usize, Bdd), Exhausted> {
        for node in (0..ahead.len()).filter(|&node| is_wanted(node)) {
            let component = kernel.and(ahead[node], behind[node])?;
            if !component.is_false() {
                return Ok((node, alone(kernel, node, component)?));
            }
        }
        unreachable!("each cycle passes a node that is wanted")
    }

    /// States that an accepting arc leads back to: a cycle could not be shorter.
    fn self_loops(
        &self,
        kernel: &mut Kernel,
        is_wanted: &dyn Fn(usize) -> bool,
    ) -> Result<Option<(usize, Bdd)>, Exhausted> {
        for arc in self.arcs.iter().filter(|arc| arc.from == arc.to && is_wanted(arc.from)) {
            let mut same = kernel.and(arc.accepting, self.states[arc.from])?;
            for &(now, next) in arc.changed.iter().rev() {
                let (before, behind) = (kernel.var(now)?, kernel.var(next)?);
                let is_same = kernel.iff(before, behind)?;
                let forget = kernel.plan([(next, Fate::Forget)]);
                same = kernel.image(same, is_same, forget)?;
            }
            if !same.is_false() {
                return Ok(Some((arc.from, same)));
            }
        }
        Ok(None)
    }

    /// What can be reached from `start`, or can reach it, by at least one arc.
    fn beyond(&self, kernel: &mut Kernel, start: &[Bdd], way: Way) -> Result<Vec<Bdd>, Exhausted> {
        let mut first = vec![Bdd::FALSE; start.len()];
        for arc in &self.arcs {
            let (image, to) = self.follow(kernel, arc, arc.relation, start, way)?;
            let image = kernel.and(image, self.states[to])?;
            first[to] = kernel.or(first[to], image)?;
        }
        self.closure(kernel, first, way)
    }

    /// The relations of all arcs.
    pub fn relations(&self) -> impl Iterator<Item = Bdd> + '_ {
        self.arcs.iter().flat_map(|arc| [arc.relation, arc.accepting])
    }

    /// The states that an accepting arc leads to, or from.
    fn next_to_accepting(&self, kernel: &mut Kernel, way: Way) -> Result<Vec<Bdd>, Exhausted> {
        let mut result = vec![Bdd::FALSE; self.states.len()];
        for arc in &self.arcs {
            let (image, to) = self.follow(kernel, arc, arc.accepting, &self.states, way)?;
            let image = kernel.and(image, self.states[to])?;
            result[to] = kernel.or(result[to], image)?;
        }
        Ok(result)
    }

    /// The states that can be reached from `start`, or that can reach it, with `start` itself.
    fn closure(&self, kernel: &mut Kernel, start: Vec<Bdd>, way: Way) -> Result<Vec<Bdd>, Exhausted> {
        let (mut all, mut fresh) = (start.clone(), start);
        while fresh.iter().any(|states| !states.is_false()) {
            let mut next = vec![Bdd::FALSE; all.len()];
            for arc in &self.arcs {
                let (image, to) = self.follow(kernel, arc, arc.relation, &fresh, way)?;
                let image = kernel.and(image, self.states[to])?;
                let image = kernel.diff(image, all[to])?;
                next[to] = kernel.or(next[to], image)?;
            }
            for (all, &next) in all.iter_mut().zip(&next) {
                *all = kernel.or(*all, next)?;
            }
            fresh = next;
        }
        Ok(all)
    }

    /// The states at the other end of `arc`, by `relation`, which is its own or a part of it.
    fn follow(
        &self,
        kernel: &mut Kernel,
        arc: &Arc,
        relation: Bdd,
        states: &[Bdd],
        way: Way,
    ) -> Result<(Bdd, usize), Exhausted> {
        match way {
            Way::Forwards => Ok((kernel.image(states[arc.from], relation, arc.post)?, arc.to)),
            Way::Backwards => {
                let lifted = kernel.transform(states[arc.to], arc.lift)?;
                Ok((kernel.image(lifted, relation, arc.pre)?, arc.from))
            }
        }
    }
}

/// Which way arcs are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// To successors.
    Forwards,
    /// To predecessors.
    Backwards,
}
