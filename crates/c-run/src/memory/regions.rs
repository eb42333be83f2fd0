//! Addresses: which object has which.
//!
//! Functions, labels, statics, heap and stack have regions of their own. The heap goes on with fresh addresses as long
//! as there are some, then looks for gaps; the stack grows upwards.

use super::Storage;
use hardbop_c_core::Target;
use std::collections::BTreeMap;
use std::ops::Range;

/// Where functions have their addresses, one every 16 bytes.
pub(crate) const FUNCTIONS: u64 = 0x0040_0000;
/// Where labels have their addresses.
pub(crate) const LABELS: u64 = 0x0800_0000;

#[derive(Debug)]
pub(super) struct Regions {
    statics: Growing,
    stack: Growing,
    heap: BTreeMap<u64, (u64, usize)>,
    heap_range: Range<u64>,
    cursor: u64,
}

/// Objects one after the other.
#[derive(Debug)]
struct Growing {
    /// The address and the row of each.
    objects: Vec<(u64, usize)>,
    /// The first address that is free, before and after each object.
    tops: Vec<u64>,
    end: u64,
}

impl Growing {
    fn new(range: Range<u64>) -> Self {
        Self { objects: Vec::new(), tops: vec![range.start], end: range.end }
    }

    fn place(&mut self, size: u64, align: u64, row: usize) -> Option<u64> {
        let top = *self.tops.last().expect("the start is never removed");
        let base = top.checked_next_multiple_of(align)?;
        let after = base.checked_add(size)?.checked_add(1)?;
        if after > self.end {
            return None;
        }
        self.objects.push((base, row));
        self.tops.push(after);
        Some(base)
    }

    fn find(&self, address: u64) -> Option<usize> {
        let after = self.objects.partition_point(|&(base, _)| base <= address);
        self.objects.get(after.checked_sub(1)?).map(|&(_, row)| row)
    }
}

impl Regions {
    pub(super) fn new(target: Target) -> Self {
        let (statics, heap, stack) = match target {
            Target::Ilp32 => (0x1000_0000..0x4000_0000, 0x4000_0000..0xc000_0000, 0xc000_0000..0xfff0_0000),
            Target::Lp64 => {
                (0x1000_0000..0x10_0000_0000, 0x5500_0000_0000..0x7e00_0000_0000, 0x7f00_0000_0000..0x7fff_0000_0000)
            }
        };
        let cursor = heap.start;
        let (statics, stack) = (Growing::new(statics), Growing::new(stack));
        Self { statics, stack, heap: BTreeMap::new(), heap_range: heap, cursor }
    }

    /// An address for an object; `None` where there is none left.
    pub(super) fn place(&mut self, storage: Storage, size: u64, align: u64, row: usize) -> Option<u64> {
        match storage {
            Storage::Static => self.statics.place(size, align, row),
            Storage::Stack => self.stack.place(size, align, row),
            Storage::Heap => self.place_heap(size, align, row),
        }
    }

    fn place_heap(&mut self, size: u64, align: u64, row: usize) -> Option<u64> {
        let mut has_wrapped = false;
        loop {
            let base = self.cursor.checked_next_multiple_of(align)?;
            let after = base.checked_add(size)?.checked_add(1)?;
            if after > self.heap_range.end {
                if has_wrapped {
                    return None;
                }
                has_wrapped = true;
                self.cursor = self.heap_range.start;
                continue;
            }
            // Nothing lies before the cursor and reaches beyond it.
            if let Some((&next, &(next_size, _))) = self.heap.range(self.cursor..).next()
                && next < after
            {
                self.cursor = next + next_size + 1;
                continue;
            }
            self.cursor = after;
            self.heap.insert(base, (size, row));
            return Some(base);
        }
    }

    pub(super) fn pop_stack(&mut self) {
        self.stack.objects.pop();
        self.stack.tops.pop();
    }

    pub(super) fn remove_heap(&mut self, base: u64) {
        self.heap.remove(&base);
    }

    /// The row of the object with the greatest address up to this one.
    pub(super) fn find(&self, address: u64) -> Option<usize> {
        if self.heap_range.contains(&address) {
            return self.heap.range(..=address).next_back().map(|(_, &(_, row))| row);
        }
        let region = if address >= self.heap_range.end { &self.stack } else { &self.statics };
        region.find(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heap_reuses_addresses_when_it_has_to() {
        let mut regions = Regions::new(Target::Ilp32);
        let half = 0x3800_0000;
        let first = regions.place(Storage::Heap, half, 16, 0).unwrap();
        let second = regions.place(Storage::Heap, half, 16, 1).unwrap();
        assert!(second > first + half);
        assert_eq!(regions.place(Storage::Heap, half, 16, 2), None);
        regions.remove_heap(first);
        assert_eq!(regions.place(Storage::Heap, half, 16, 2), Some(first));
        assert_eq!(regions.find(first + 5), Some(2));
    }

    #[test]
    fn a_byte_between_two_objects_belongs_to_none() {
        let mut regions = Regions::new(Target::Lp64);
        let first = regions.place(Storage::Stack, 8, 1, 0).unwrap();
        let second = regions.place(Storage::Stack, 8, 1, 1).unwrap();
        assert!(second > first + 8);
        assert_eq!(regions.find(first + 8), Some(0));
        regions.pop_stack();
        assert_eq!(regions.place(Storage::Stack, 8, 1, 1), Some(second));
    }
}
