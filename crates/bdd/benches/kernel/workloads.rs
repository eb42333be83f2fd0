//! The workloads. Each returns a number that does not depend on the library.

use crate::libraries::{Constant, Library};

pub const RANDOM_LEVELS: usize = 26;
pub const LARGE_LEVELS: usize = 32;
pub const BOARD: usize = 9;
const COUNTER_BITS: usize = 15;
pub const COUNTER_LEVELS: usize = 3 * COUNTER_BITS;
const SLOTS: usize = 40;
pub const SMALL_LEVELS: usize = 3 * SLOTS;
const REGISTER_BITS: usize = 16;
pub const PRODUCT_LEVELS: usize = 2 * REGISTER_BITS;

/// The three connectives on functions of some ten thousand nodes each.
pub fn random_functions<L: Library>(library: &mut L) -> f64 {
    connectives(library, Shape { levels: RANDOM_LEVELS, products: 20, functions: 6 })
}

/// The same on functions of some hundred thousand nodes each.
pub fn large_functions<L: Library>(library: &mut L) -> f64 {
    connectives(library, Shape { levels: LARGE_LEVELS, products: 30, functions: 2 })
}

#[derive(Clone, Copy)]
struct Shape {
    levels: usize,
    products: usize,
    functions: usize,
}

fn connectives<L: Library>(library: &mut L, shape: Shape) -> f64 {
    let mut random = Random(1);
    let mut pool = Vec::new();
    for _ in 0..shape.functions {
        pool.push(sum_of_products(library, &mut random, shape));
        library.safe_point(&[&pool]);
    }
    let mut last = library.constant(Constant::False);
    for (i, f) in pool.iter().enumerate() {
        for g in &pool[..i] {
            let (both, either) = (library.and(f, g), library.or(f, g));
            last = library.xor(&both, &either);
            library.safe_point(&[&pool, std::slice::from_ref(&last)]);
        }
    }
    library.count(&last)
}

fn sum_of_products<L: Library>(library: &mut L, random: &mut Random, shape: Shape) -> L::Function {
    let mut sum = library.constant(Constant::False);
    for _ in 0..shape.products {
        let mut product = library.constant(Constant::True);
        for _ in 0..4 {
            let var = library.var(random.below(shape.levels));
            let literal = if random.below(2) == 0 { var } else { library.not(&var) };
            product = library.and(&product, &literal);
        }
        sum = library.or(&sum, &product);
    }
    sum
}

/// Queens on a board, by conjoining the rules one field at a time.
pub fn queens<L: Library>(library: &mut L) -> f64 {
    let vars: Vec<L::Function> = (0..BOARD * BOARD).map(|field| library.var(field)).collect();
    let nvars: Vec<L::Function> = vars.iter().map(|var| library.not(var)).collect();
    let mut board = library.constant(Constant::True);
    for row in 0..BOARD {
        let fields = row * BOARD..(row + 1) * BOARD;
        let some =
            fields.clone().fold(library.constant(Constant::False), |some, field| library.or(&some, &vars[field]));
        board = library.and(&board, &some);
        for field in fields {
            let mut rule = library.constant(Constant::True);
            for other in (0..BOARD * BOARD).rev().filter(|&other| attacks(field, other)) {
                rule = library.and(&nvars[other], &rule);
            }
            rule = library.or(&nvars[field], &rule);
            board = library.and(&board, &rule);
        }
        library.safe_point(&[&vars, &nvars, std::slice::from_ref(&board)]);
    }
    library.count(&board)
}

fn attacks(field: usize, other: usize) -> bool {
    let (rows, columns) = ((field / BOARD).abs_diff(other / BOARD), (field % BOARD).abs_diff(other % BOARD));
    (rows, columns) != (0, 0) && (rows == 0 || columns == 0 || rows == columns)
}

/// A counter from zero to its end, one image for each value; entry, current and next copy of each bit side by side.
pub fn counter<L: Library>(library: &mut L) -> f64 {
    let slots: Vec<usize> = (0..COUNTER_BITS).collect();
    let relation = increment(library, &slots);
    let plan = library.plan(&slots.iter().map(|slot| (3 * slot + 1, 3 * slot + 2)).collect::<Vec<_>>());
    let mut frontier = library.constant(Constant::True);
    for slot in slots {
        let (entry, current) = (library.var(3 * slot), library.var(3 * slot + 1));
        let (no_entry, no_current) = (library.not(&entry), library.not(&current));
        let zero = library.and(&no_entry, &no_current);
        frontier = library.and(&frontier, &zero);
    }
    let mut reached = frontier.clone();
    loop {
        let image = library.image(&frontier, &relation, &plan);
        let seen = library.not(&reached);
        frontier = library.and(&image, &seen);
        let next = library.or(&reached, &frontier);
        if next == reached {
            return library.count(&reached);
        }
        reached = next;
        library.safe_point(&[&[relation.clone(), frontier.clone(), reached.clone()]]);
    }
}

// `next = current + 1` over these slots, least significant first; the last value has no successor.
fn increment<L: Library>(library: &mut L, slots: &[usize]) -> L::Function {
    let mut carried = library.constant(Constant::False);
    let mut settled = library.constant(Constant::True);
    for slot in slots.iter().rev() {
        let (current, next) = (library.var(3 * slot + 1), library.var(3 * slot + 2));
        let (no_current, no_next) = (library.not(&current), library.not(&next));
        let (rises, falls) = (library.and(&no_current, &next), library.and(&current, &no_next));
        let stops = library.and(&rises, &settled);
        let goes_on = library.and(&falls, &carried);
        carried = library.or(&stops, &goes_on);
        let different = library.xor(&current, &next);
        let same = library.not(&different);
        settled = library.and(&same, &settled);
    }
    carried
}

/// What a boolean program does: assignments to one of many variables, each a small image of a small set, and joins where
/// two branches meet.
pub fn small_images<L: Library>(library: &mut L) -> f64 {
    let mut random = Random(3);
    let edges: Vec<(L::Function, L::Plan)> = (0..200).map(|_| assignment(library, &mut random)).collect();
    let relations: Vec<L::Function> = edges.iter().map(|(relation, _)| relation.clone()).collect();
    let entry = diagonal(library);
    let mut last = entry.clone();
    for _ in 0..1000 {
        let [left, right] = [0; 2].map(|_| {
            (0..6).fold(entry.clone(), |state, _| {
                let (relation, plan) = &edges[random.below(edges.len())];
                library.image(&state, relation, plan)
            })
        });
        last = library.or(&left, &right);
        library.safe_point(&[&relations, &[entry.clone(), last.clone()]]);
    }
    library.count(&last)
}

// The entry copy of each of a few slots equals the current one; of the others nothing is known.
fn diagonal<L: Library>(library: &mut L) -> L::Function {
    (0..SLOTS).rev().step_by(5).fold(library.constant(Constant::True), |all, slot| {
        let (entry, current) = (library.var(3 * slot), library.var(3 * slot + 1));
        let different = library.xor(&entry, &current);
        let same = library.not(&different);
        library.and(&same, &all)
    })
}

// `x := y op z`, sometimes guarded by a third variable.
fn assignment<L: Library>(library: &mut L, random: &mut Random) -> (L::Function, L::Plan) {
    let target = random.below(SLOTS);
    let [left, right, guard] = [0; 3].map(|_| {
        let slot = random.below(SLOTS);
        library.var(3 * slot + 1)
    });
    let value = match random.below(4) {
        0 => library.and(&left, &right),
        1 => library.or(&left, &right),
        2 => library.xor(&left, &right),
        _ => left,
    };
    let next = library.var(3 * target + 2);
    let different = library.xor(&next, &value);
    let mut relation = library.not(&different);
    if random.below(3) == 0 {
        relation = library.and(&relation, &guard);
    }
    let plan = library.plan(&[(3 * target + 1, 3 * target + 2)]);
    (relation, plan)
}

/// A shift register with feedback that is not linear, run on large sets of states.
pub fn products<L: Library>(library: &mut L) -> f64 {
    let mut random = Random(7);
    let relation = shift_register(library);
    let moves: Vec<(usize, usize)> = (0..REGISTER_BITS).map(|bit| (2 * bit, 2 * bit + 1)).collect();
    let plan = library.plan(&moves);
    let mut states = library.constant(Constant::False);
    for _ in 0..120 {
        let mut product = library.constant(Constant::True);
        for _ in 0..8 {
            let var = library.var(2 * random.below(REGISTER_BITS));
            let literal = if random.below(2) == 0 { var } else { library.not(&var) };
            product = library.and(&product, &literal);
        }
        states = library.or(&states, &product);
    }
    for _ in 0..12 {
        let image = library.image(&states, &relation, &plan);
        states = library.xor(&states, &image);
        library.safe_point(&[&[relation.clone(), states.clone()]]);
    }
    library.count(&states)
}

fn shift_register<L: Library>(library: &mut L) -> L::Function {
    let now: Vec<L::Function> = (0..REGISTER_BITS).map(|bit| library.var(2 * bit)).collect();
    let mut relation = library.constant(Constant::True);
    for bit in (0..REGISTER_BITS).rev() {
        let source = &now[(bit + 1) % REGISTER_BITS];
        let mixed = library.and(&now[(bit + 2) % REGISTER_BITS], &now[(bit + 3) % REGISTER_BITS]);
        let value = if bit % 4 == 3 { library.xor(source, &mixed) } else { source.clone() };
        let next = library.var(2 * bit + 1);
        let different = library.xor(&next, &value);
        let same = library.not(&different);
        relation = library.and(&relation, &same);
    }
    relation
}

/// The same numbers on every machine: `xorshift64*`.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound as u64) as usize
    }
}
