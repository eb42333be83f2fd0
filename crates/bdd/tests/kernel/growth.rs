//! Small beginnings, large tables, and what the counters say.

use hardbop_bdd::{Bdd, Exhausted, Kernel};

use crate::truth::{kernel, level};

#[test]
fn a_new_kernel_is_small() {
    assert!(kernel(10_000).bytes() < 64 << 10);
}

#[test]
fn a_result_is_no_larger_than_a_handle() {
    assert_eq!(size_of::<Result<Bdd, Exhausted>>(), 4);
    assert_eq!(size_of::<Option<Bdd>>(), 4);
}

#[test]
fn eight_queens_have_92_solutions_with_and_without_collections() {
    let mut kernel = kernel(64);
    let board: Vec<_> = (0..64).map(level).collect();
    let solutions = queens(&mut kernel, 8, |_, _| {}).unwrap();
    assert_eq!(kernel.count(solutions, &board), 92.0);
    let (size, peak) = (kernel.size(solutions), kernel.peak());
    assert!(peak > 1 << 12, "the tables have grown");

    kernel.collect([solutions]);
    assert_eq!((kernel.live(), kernel.peak()), (size, peak));
    let created = kernel.created();
    let again = queens(&mut kernel, 8, |kernel, so_far| kernel.collect([so_far, solutions])).unwrap();
    assert_eq!(again, solutions);
    assert_eq!(kernel.peak(), peak, "freed rows are used again");
    assert!(kernel.created() > created);
    assert!(kernel.collections() > 8);
}

#[test]
fn a_collection_is_wanted_when_the_nodes_have_doubled() {
    let mut kernel = kernel(40);
    assert!(!kernel.wants_collection());
    let mut pairs = Bdd::TRUE;
    for row in 0..16 {
        let (x, y) = (kernel.var(level(row)).unwrap(), kernel.var(level(row + 20)).unwrap());
        let same = kernel.iff(x, y).unwrap();
        pairs = kernel.and(pairs, same).unwrap();
    }
    assert!(kernel.wants_collection());
    kernel.collect([pairs]);
    assert!(kernel.live() > 1 << 16 && !kernel.wants_collection());
}

// No two queens in a row, column or diagonal, and one in each row.
fn queens(kernel: &mut Kernel, n: usize, after_row: impl Fn(&mut Kernel, Bdd)) -> Result<Bdd, Exhausted> {
    let mut board = Bdd::TRUE;
    for row in 0..n {
        let mut some = Bdd::FALSE;
        for column in 0..n {
            let queen = kernel.var(level(row * n + column))?;
            some = kernel.or(some, queen)?;
        }
        board = kernel.and(board, some)?;
        for column in 0..n {
            let queen = kernel.var(level(row * n + column))?;
            for other in (0..n * n).filter(|&other| attacks(n, (row, column), (other / n, other % n))) {
                let absent = kernel.nvar(level(other))?;
                let rule = kernel.implies(queen, absent)?;
                board = kernel.and(board, rule)?;
            }
        }
        after_row(kernel, board);
    }
    Ok(board)
}

fn attacks(n: usize, (row, column): (usize, usize), (other_row, other_column): (usize, usize)) -> bool {
    debug_assert!(row < n && other_row < n);
    let (rows, columns) = (row.abs_diff(other_row), column.abs_diff(other_column));
    (rows, columns) != (0, 0) && (rows == 0 || columns == 0 || rows == columns)
}
