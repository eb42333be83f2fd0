//! Strongly connected components of an explicit graph, by Tarjan's algorithm without recursion.

/// By node, the number of its component, where `successors` has the edges by node.
pub(crate) fn components(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut search = Search {
        successors,
        indexes: vec![None; successors.len()],
        lowest: vec![0; successors.len()],
        components: vec![None; successors.len()],
        visited: 0,
        open: Vec::new(),
        found: 0,
    };
    for root in 0..successors.len() {
        if search.indexes[root].is_none() {
            search.visit(root);
        }
    }
    search.components.into_iter().map(|component| component.expect("every node was visited")).collect()
}

struct Search<'g> {
    successors: &'g [Vec<usize>],
    /// By node, when it was first seen.
    indexes: Vec<Option<usize>>,
    /// By node, the earliest open node seen from it and what follows it.
    lowest: Vec<usize>,
    components: Vec<Option<usize>>,
    visited: usize,
    /// The nodes without component, in the order seen.
    open: Vec<usize>,
    found: usize,
}

impl Search<'_> {
    fn visit(&mut self, root: usize) {
        self.enter(root);
        let mut path = vec![(root, 0)];
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            if let Some(&next) = self.successors[node].get(*edge) {
                *edge += 1;
                match self.indexes[next] {
                    None => {
                        self.enter(next);
                        path.push((next, 0));
                    }
                    Some(index) if self.components[next].is_none() => self.lowest[node] = self.lowest[node].min(index),
                    Some(_) => {}
                }
                continue;
            }
            path.pop();
            if let Some(&(above, _)) = path.last() {
                self.lowest[above] = self.lowest[above].min(self.lowest[node]);
            }
            if Some(self.lowest[node]) == self.indexes[node] {
                self.close(node);
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.indexes[node] = Some(self.visited);
        self.lowest[node] = self.visited;
        self.visited += 1;
        self.open.push(node);
    }

    fn close(&mut self, root: usize) {
        loop {
            let node = self.open.pop().expect("the root of a component is open");
            self.components[node] = Some(self.found);
            if node == root {
                break;
            }
        }
        self.found += 1;
    }
}
