//! Repeating heads, found where they can only be [ES01, §4.2].
//!
//! A head is a node with the values of the variables in scope. It repeats if a run leads from it back to it, without
//! ever returning from its activation, past an accepting state. Instead of the graph of all heads we look at two:
//! - A cycle on which every call returns lies inside one procedure, with calls crossed by their summaries.
//! - On any other cycle some call does not return; following only those calls, it is a cycle of procedures' entries,
//!   with one relation for each call site, made from the path edges there.
//!
//! Both are small: they need no copy of a head beside it. Each is cut into rough components first, by control flow alone
//! [ES01, §5].

use crate::components::components;
use crate::cycles::{Arc, Graph, Layer, Way};
use crate::product::Product;
use hardbop_base::{Exhausted, IndexVec};
use hardbop_bdd::{Bdd, Fate, Level, PlanId};
use hardbop_icfg::{NodeId, ProcId, Relation, SlotSet};
use hardbop_pushdown::Switch;
use hardbop_pushdown::encode::Copy;
use hardbop_pushdown::flow::{BlockId, BlockKind};
use hardbop_pushdown::summaries::Saturation;

/// Where heads that may repeat are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// At a node.
    Node(NodeId),
    /// At a procedure's entry.
    Entry(ProcId),
}

/// A rough component: a part of one of the two graphs, by control flow alone.
#[derive(Clone, Debug)]
pub enum Rough {
    /// Nodes of one procedure, and the blocks between them.
    Inside(Vec<NodeId>, Vec<BlockId>),
    /// Procedures, and the calls between them.
    AmongEntries(Vec<ProcId>, Vec<BlockId>),
}

impl Rough {
    /// Where its nodes are.
    pub fn places(&self) -> Vec<Place> {
        match self {
            Self::Inside(nodes, _) => nodes.iter().map(|&node| Place::Node(node)).collect(),
            Self::AmongEntries(procs, _) => procs.iter().map(|&proc| Place::Entry(proc)).collect(),
        }
    }
}

/// A part of one of the two graphs.
#[derive(Clone, Debug)]
pub struct Component {
    /// Where its nodes are.
    pub places: Vec<Place>,
    /// The graph.
    pub graph: Graph,
}

/// Builds the graphs from a complete saturation of the product.
pub struct Heads<'s, 'a> {
    /// The saturation.
    pub saturation: &'s mut Saturation<'a>,
    /// The product.
    pub product: &'s Product,
    accepting: Bdd,
}

impl<'s, 'a> Heads<'s, 'a> {
    /// Over what `saturation` has found of `product`.
    pub fn new(saturation: &'s mut Saturation<'a>, product: &'s Product) -> Result<Self, Exhausted> {
        assert!(saturation.is_complete(), "heads are looked for among all that can be reached");
        let accepting = match product.seen {
            Some(_) => Bdd::TRUE,
            None => saturation.encoder.condition(product.accepting)?,
        };
        Ok(Self { saturation, product, accepting })
    }

    /// The rough components inside procedures, then those among entries. Of two in the same graph, no arc leads from the
    /// earlier to the later.
    pub fn rough(&self, rough: Switch) -> Vec<Rough> {
        let mut result = Vec::new();
        for proc in self.saturation.setting.program.icfg.procs.ids() {
            let ends = |block: &BlockId| {
                let block = self.saturation.flow.blocks[*block];
                (block.from, block.to)
            };
            let found = components(&self.blocks_of(proc), ends, rough);
            result.extend(found.into_iter().map(|(nodes, blocks)| Rough::Inside(nodes, blocks)));
        }
        let ends = |block: &BlockId| self.caller_and_callee(*block);
        let found = components(&self.sites(), ends, rough);
        result.extend(found.into_iter().map(|(procs, sites)| Rough::AmongEntries(procs, sites)));
        result
    }

    /// The graph of a component; `None` where no state or no arc of it is accepting.
    pub fn graph(&mut self, rough: &Rough) -> Result<Option<Component>, Exhausted> {
        match rough {
            Rough::Inside(nodes, blocks) => self.inside(nodes, blocks),
            Rough::AmongEntries(procs, sites) => self.among_entries(procs, sites),
        }
    }

    /// Removes from `component` what no fair cycle leads to (or, backwards, what leads to none), and adds to `layers`
    /// what was removed in each round. What is in `kept` survives.
    pub fn trim(
        &mut self,
        component: &mut Component,
        way: Way,
        layers: Option<&mut Vec<Layer>>,
        kept: &IndexVec<NodeId, Bdd>,
    ) -> Result<(), Exhausted> {
        let roots: Vec<Bdd> = self.saturation.roots().chain([self.accepting]).chain(kept.iter().copied()).collect();
        component.graph.trim(&mut self.saturation.encoder.kernel, way, layers, &mut |kernel, more| {
            kernel.collect(roots.iter().chain(more).copied());
        })
    }

    /// The states from which `block` leads to `states` behind it, a call crossed by its summary.
    pub fn over(&mut self, block: BlockId, states: Bdd) -> Result<Bdd, Exhausted> {
        let Some((relation, _)) = self.relation(block)? else { return Ok(Bdd::FALSE) };
        let proc = self.saturation.setting.program.icfg.nodes[self.saturation.flow.blocks[block].from].proc;
        let (relation, _) = self.split(proc, relation)?;
        let changed = self.changed(block, self.saturation.flow.blocks[block].to);
        let (lift, pre) = self.way_back(&changed);
        let kernel = &mut self.saturation.encoder.kernel;
        let lifted = kernel.transform(states, lift)?;
        kernel.image(lifted, relation, pre)
    }

    /// What a block does, and how to apply it; `None` for a call that has not been made.
    fn relation(&mut self, block: BlockId) -> Result<Option<(Bdd, PlanId)>, Exhausted> {
        Ok(match self.saturation.flow.blocks[block].kind {
            BlockKind::Steps { .. } => {
                let code = self.saturation.code(block)?;
                Some((code.relation, code.plan))
            }
            BlockKind::Call { .. } => self.saturation.calls[block].map(|call| (call.effect, call.code.apply)),
        })
    }

    /// The blocks of `proc` that something can pass.
    fn blocks_of(&self, proc: ProcId) -> Vec<BlockId> {
        let flow = self.saturation.flow;
        let nodes = self.saturation.setting.program.icfg.nodes_of(proc);
        let nodes = nodes.filter(|&node| flow.is_kept[node] && !self.saturation.reached[node].is_false());
        let is_passed = |&block: &BlockId| match flow.blocks[block].kind {
            BlockKind::Steps { .. } => true,
            BlockKind::Call { .. } => self.saturation.calls[block].is_some_and(|call| !call.effect.is_false()),
        };
        nodes.flat_map(|node| flow.blocks_of(node)).filter(is_passed).collect()
    }

    /// The calls that are made.
    fn sites(&self) -> Vec<BlockId> {
        let flow = self.saturation.flow;
        let is_site = |&block: &BlockId| match flow.blocks[block].kind {
            BlockKind::Call { .. } => !self.saturation.reached[flow.blocks[block].from].is_false(),
            BlockKind::Steps { .. } => false,
        };
        flow.blocks.ids().filter(is_site).collect()
    }

    fn caller_and_callee(&self, site: BlockId) -> (ProcId, ProcId) {
        let block = self.saturation.flow.blocks[site];
        let BlockKind::Call { callee, .. } = block.kind else { unreachable!("a site is a call") };
        (self.saturation.setting.program.icfg.nodes[block.from].proc, callee)
    }

    fn inside(&mut self, nodes: &[NodeId], blocks: &[BlockId]) -> Result<Option<Component>, Exhausted> {
        let proc = self.saturation.setting.program.icfg.nodes[nodes[0]].proc;
        let place_of = |node: NodeId| nodes.binary_search(&node).expect("a component's arcs stay inside");
        let mut states = Vec::with_capacity(nodes.len());
        for &node in nodes {
            states.push(self.states_at(proc, node)?);
        }
        if states.iter().all(|states| states.is_false()) {
            return Ok(None);
        }
        let mut arcs = Vec::with_capacity(blocks.len());
        for &id in blocks {
            let block = self.saturation.flow.blocks[id];
            let (relation, post) = self.relation(id)?.expect("the call has been made");
            let (relation, accepting) = self.split(proc, relation)?;
            let changed = self.changed(id, block.to);
            let (lift, pre) = self.way_back(&changed);
            let (from, to) = (place_of(block.from), place_of(block.to));
            arcs.push(Arc { from, to, relation, accepting, changed, post, lift, pre });
        }
        if arcs.iter().all(|arc: &Arc| arc.accepting.is_false()) {
            return Ok(None);
        }
        let places = nodes.iter().map(|&node| Place::Node(node)).collect();
        Ok(Some(Component { places, graph: Graph { states, arcs } }))
    }

    /// What can be reached at `node` and may lie on a fair cycle: without entry copies, and without the memory.
    fn states_at(&mut self, proc: ProcId, node: NodeId) -> Result<Bdd, Exhausted> {
        let setting = self.saturation.setting;
        let encoder = &mut self.saturation.encoder;
        let levels = encoder.levels.clone();
        let copied = setting.copied[proc].iter().map(|slot| (levels.of(slot, Copy::Entry), Fate::Forget));
        let memory = self.product.memory_of(proc);
        let memory = memory.map(|var| (levels.of(setting.slots.of(var), Copy::Now), Fate::Forget));
        let fates: Vec<(Level, Fate)> = copied.chain(memory).collect();
        let plan = encoder.kernel.plan(fates);
        encoder.kernel.image(self.saturation.reached[node], self.accepting, plan)
    }

    /// A relation without the memory, and the part of it that sets the memory.
    fn split(&mut self, proc: ProcId, relation: Bdd) -> Result<(Bdd, Bdd), Exhausted> {
        let Some(seen) = &self.product.seen else { return Ok((relation, relation)) };
        let encoder = &mut self.saturation.encoder;
        let slot = self.saturation.setting.slots.of(seen[proc]);
        let (now, next) = (encoder.levels.of(slot, Copy::Now), encoder.levels.of(slot, Copy::Next));
        let kernel = &mut encoder.kernel;
        let (empty, full) = (kernel.nvar(now)?, kernel.var(next)?);
        let memory = self.product.memory_of(proc).map(|var| self.saturation.setting.slots.of(var));
        let levels = &encoder.levels;
        let forget: Vec<(Level, Fate)> =
            memory.flat_map(|slot| [Copy::Now, Copy::Next].map(|copy| (levels.of(slot, copy), Fate::Forget))).collect();
        let kernel = &mut encoder.kernel;
        let forget = kernel.plan(forget);
        let from_empty = kernel.and(relation, empty)?;
        let all = kernel.transform(from_empty, forget)?;
        let is_silent = !kernel.support(relation).contains(&next);
        let accepting = if is_silent { Bdd::FALSE } else { kernel.image(from_empty, full, forget)? };
        Ok((all, accepting))
    }

    /// The levels, now and next, of what is live at `to` and what a block that leads there may change.
    fn changed(&self, block: BlockId, to: NodeId) -> Vec<(Level, Level)> {
        let live = self.saturation.setting.liveness.at(to);
        let levels = &self.saturation.encoder.levels;
        let slots = self.written(block);
        let slots = slots.iter().filter(|&slot| live.contains(slot));
        slots.map(|slot| (levels.of(slot, Copy::Now), levels.of(slot, Copy::Next))).collect()
    }

    /// The slots that a block may change.
    fn written(&self, block: BlockId) -> SlotSet {
        let setting = self.saturation.setting;
        let mut changed = SlotSet::empty(setting.slots.len());
        match self.saturation.flow.blocks[block].kind {
            BlockKind::Steps { steps } => {
                for &edge in self.saturation.flow.steps_of(steps) {
                    let Relation::Step(step) = &setting.program.labels[edge] else {
                        unreachable!("a block of steps is made of steps")
                    };
                    for update in &step.updates {
                        changed.insert(setting.slots.of(update.target));
                    }
                }
            }
            BlockKind::Call { edge, callee } => {
                let Relation::Call { leave, .. } = &setting.program.labels[edge] else {
                    unreachable!("a call edge carries a call")
                };
                for slot in setting.mod_ref.modified[callee].iter().filter(|&slot| setting.slots.is_global(slot)) {
                    changed.insert(slot);
                }
                for update in &leave.updates {
                    changed.insert(setting.slots.of(update.target));
                }
            }
        }
        changed
    }

    /// The plans of the way back over an arc.
    fn way_back(&mut self, changed: &[(Level, Level)]) -> (PlanId, PlanId) {
        let kernel = &mut self.saturation.encoder.kernel;
        let lift = kernel.plan(changed.iter().map(|&(now, next)| (now, Fate::MoveTo(next))));
        (lift, kernel.plan(changed.iter().map(|&(_, next)| (next, Fate::Forget))))
    }

    fn among_entries(&mut self, procs: &[ProcId], sites: &[BlockId]) -> Result<Option<Component>, Exhausted> {
        let place_of = |proc: ProcId| procs.binary_search(&proc).expect("a component's arcs stay inside");
        let mut states = Vec::with_capacity(procs.len());
        for &proc in procs {
            let entered = self.saturation.entered[proc];
            states.push(self.saturation.encoder.kernel.and(entered, self.accepting)?);
        }
        if states.iter().all(|states| states.is_false()) {
            return Ok(None);
        }
        let mut arcs = Vec::with_capacity(sites.len());
        for &site in sites {
            let (caller, callee) = self.caller_and_callee(site);
            arcs.push(Arc { from: place_of(caller), to: place_of(callee), ..self.site(site, caller, callee)? });
        }
        if arcs.iter().all(|arc| arc.accepting.is_false()) {
            return Ok(None);
        }
        let places = procs.iter().map(|&proc| Place::Entry(proc)).collect();
        Ok(Some(Component { places, graph: Graph { states, arcs } }))
    }

    /// The relation between the states at the caller's entry (now) and at the callee's (next) that a call site makes.
    fn site(&mut self, site: BlockId, caller: ProcId, callee: ProcId) -> Result<Arc, Exhausted> {
        let setting = self.saturation.setting;
        let slots = &setting.slots;
        let at = self.saturation.flow.blocks[site].from;
        let icfg = &setting.program.icfg;
        let call = self.saturation.calls[site].expect("the call has been made");
        let (first, entry) =
            (setting.liveness.at(icfg.procs[caller].entry), setting.liveness.at(icfg.procs[callee].entry));
        let encoder = &mut self.saturation.encoder;
        let levels = encoder.levels.clone();
        let (copied, modified) = (&setting.copied[caller], &setting.mod_ref.modified[caller]);
        let inputs = &setting.mod_ref.inputs[callee];
        let of = |slot, copy| levels.of(slot, copy);
        let mut join: Vec<(Level, Fate)> = Vec::new();
        let (mut changed, mut post) = (Vec::new(), Vec::new());
        for slot in slots.ids() {
            let (was, now, next) = (of(slot, Copy::Entry), of(slot, Copy::Now), of(slot, Copy::Next));
            let is_global = slots.is_global(slot);
            let is_new = if is_global { entry.contains(slot) } else { inputs.contains(slot) && entry.contains(slot) };
            // A global that the caller cannot modify is the same at both entries, and stays where it is. One that it can
            // modify and that has no entry copy is dead at its entry: there is only the value that it hands on.
            let is_same = is_global && !copied.contains(slot) && !modified.contains(slot);
            if is_same {
                if !is_new {
                    post.push((now, Fate::Forget));
                }
                continue;
            }
            if copied.contains(slot) {
                join.push((was, Fate::MoveTo(now)));
                join.push((now, if is_global && is_new { Fate::MoveTo(next) } else { Fate::Forget }));
            } else if is_global {
                join.push((now, if is_new { Fate::MoveTo(next) } else { Fate::Forget }));
            } else if !(setting.mod_ref.inputs[caller].contains(slot) && first.contains(slot)) {
                join.push((now, Fate::Forget));
            }
            if !is_global && !is_new {
                join.push((next, Fate::Forget));
            }
            post.push((now, Fate::Forget));
            if is_new {
                post.push((next, Fate::MoveTo(now)));
                changed.push((now, next));
            }
        }
        let kernel = &mut encoder.kernel;
        let join = kernel.plan(join);
        let reached = self.saturation.reached[at];
        let relation = kernel.image(reached, call.code.enter.relation, join)?;
        let mut accepting = relation;
        if let Some(seen) = &self.product.seen {
            let full = kernel.var(of(slots.of(seen[caller]), Copy::Now))?;
            let reached = kernel.and(reached, full)?;
            accepting = kernel.image(reached, call.code.enter.relation, join)?;
        }
        let post = kernel.plan(post);
        let (lift, pre) = self.way_back(&changed);
        Ok(Arc { from: 0, to: 0, relation, accepting, changed, post, lift, pre })
    }
}
