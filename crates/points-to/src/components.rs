//! Strongly connected components: Tarjan's search without recursion.

/// Components in an order in which targets come before sources.
pub(crate) struct Components {
    nodes: Vec<u32>,
    ends: Vec<usize>,
}

impl Components {
    /// The components of the graph on `0..count` in which `edge(node, n)` is the target of the node's `n`th edge. Nodes
    /// that `is_node` denies are left out; no edge may lead to one.
    pub(crate) fn of(count: usize, is_node: impl Fn(u32) -> bool, edge: impl Fn(u32, usize) -> Option<u32>) -> Self {
        let mut search = Search { met: vec![0; count], low: vec![0; count], open: Vec::new(), count: 0 };
        let mut result = Self { nodes: Vec::with_capacity(count), ends: Vec::with_capacity(count) };
        for start in 0..u32::try_from(count).expect("fewer than 2^32 nodes") {
            if is_node(start) && search.met[start as usize] == 0 {
                search.run(start, &edge, &mut result);
            }
        }
        result
    }

    /// The components, targets before sources.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &[u32]> {
        let starts = (0..self.ends.len()).map(|index| if index == 0 { 0 } else { self.ends[index - 1] });
        let ranges: Vec<(usize, usize)> = starts.zip(self.ends.iter().copied()).collect();
        ranges.into_iter().map(|(start, end)| &self.nodes[start..end])
    }
}

/// A node whose component is closed has been met at no time that counts.
const CLOSED: u32 = u32::MAX;

struct Search {
    /// When a node was met, from one on; zero: not yet.
    met: Vec<u32>,
    low: Vec<u32>,
    open: Vec<u32>,
    count: u32,
}

impl Search {
    fn meet(&mut self, node: u32) {
        self.count += 1;
        self.met[node as usize] = self.count;
        self.low[node as usize] = self.count;
        self.open.push(node);
    }

    fn run(&mut self, start: u32, edge: &impl Fn(u32, usize) -> Option<u32>, result: &mut Components) {
        let mut path: Vec<(u32, usize)> = vec![(start, 0)];
        self.meet(start);
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if let Some(to) = edge(node, *next) {
                *next += 1;
                match self.met[to as usize] {
                    0 => {
                        self.meet(to);
                        path.push((to, 0));
                    }
                    CLOSED => {}
                    time => self.low[node as usize] = self.low[node as usize].min(time),
                }
                continue;
            }
            path.pop();
            if let Some(&(above, _)) = path.last() {
                self.low[above as usize] = self.low[above as usize].min(self.low[node as usize]);
            }
            if self.low[node as usize] == self.met[node as usize] {
                self.close(node, result);
            }
        }
    }

    fn close(&mut self, root: u32, result: &mut Components) {
        while let Some(node) = self.open.pop() {
            self.met[node as usize] = CLOSED;
            result.nodes.push(node);
            if node == root {
                break;
            }
        }
        result.ends.push(result.nodes.len());
    }
}
