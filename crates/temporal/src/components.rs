//! Rough components: the strongly connected components of control flow alone [ES01, §5].

use hardbop_pushdown::Switch;

/// The strongly connected components of the graph with these arcs, each as its nodes in order and the arcs inside. No
/// arc leads from one component to a later one. Where it is switched off, everything is one component.
///
/// Tarjan's algorithm, without recursion: procedures can be long, and call chains deep.
pub fn components<N: Copy + Ord, A: Copy>(
    arcs: &[A],
    ends: impl Fn(&A) -> (N, N),
    rough: Switch,
) -> Vec<(Vec<N>, Vec<A>)> {
    let mut nodes: Vec<N> = arcs.iter().flat_map(|arc| <[N; 2]>::from(ends(arc))).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let place_of = |node: N| nodes.binary_search(&node).expect("it is the end of an arc");
    let mut tarjan = Tarjan::new(nodes.len());
    for arc in arcs {
        let (from, to) = ends(arc);
        tarjan.successors[place_of(from)].push(place_of(to));
    }
    let component = match rough {
        Switch::On => tarjan.components(),
        Switch::Off => vec![0; nodes.len()],
    };
    let count = component.iter().max().map_or(0, |last| last + 1);
    let mut result = vec![(Vec::new(), Vec::new()); count];
    for (place, &node) in nodes.iter().enumerate() {
        result[component[place]].0.push(node);
    }
    for arc in arcs {
        let (from, to) = ends(arc);
        let (from, to) = (component[place_of(from)], component[place_of(to)]);
        if from == to {
            result[from].1.push(*arc);
        }
    }
    result
}

struct Tarjan {
    successors: Vec<Vec<usize>>,
    /// When a node was first met.
    number: Vec<Option<usize>>,
    /// The earliest node on the stack that it is known to reach.
    low: Vec<usize>,
    component: Vec<Option<usize>>,
    open: Vec<usize>,
    met: usize,
    closed: usize,
}

impl Tarjan {
    fn new(nodes: usize) -> Self {
        Self {
            successors: vec![Vec::new(); nodes],
            number: vec![None; nodes],
            low: vec![0; nodes],
            component: vec![None; nodes],
            open: Vec::new(),
            met: 0,
            closed: 0,
        }
    }

    fn components(mut self) -> Vec<usize> {
        for root in 0..self.successors.len() {
            if self.number[root].is_none() {
                self.search(root);
            }
        }
        self.component.into_iter().map(|component| component.expect("every node has been met")).collect()
    }

    fn search(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.meet(root);
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if let Some(&to) = self.successors[node].get(*next) {
                *next += 1;
                match (self.number[to], self.component[to]) {
                    (None, _) => {
                        self.meet(to);
                        path.push((to, 0));
                    }
                    (Some(number), None) => self.low[node] = self.low[node].min(number),
                    (Some(_), Some(_)) => {}
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                self.low[parent] = self.low[parent].min(self.low[node]);
            }
            if self.number[node] == Some(self.low[node]) {
                self.close(node);
            }
        }
    }

    fn meet(&mut self, node: usize) {
        self.number[node] = Some(self.met);
        self.low[node] = self.met;
        self.met += 1;
        self.open.push(node);
    }

    fn close(&mut self, root: usize) {
        while let Some(node) = self.open.pop() {
            self.component[node] = Some(self.closed);
            if node == root {
                break;
            }
        }
        self.closed += 1;
    }
}
