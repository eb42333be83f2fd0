//! The bytes of one object.

use super::ObjectId;

const UNINITIALISED: u8 = 0;
const NUMBER: u8 = 1;
/// Part of a word whose object is known.
const POINTER: u8 = 2;

/// The bytes of one object.
///
/// **Invariant:** `words[w]` counts only where all bytes of the aligned word `w` are of state `POINTER`.
#[derive(Debug)]
pub(super) struct Bytes {
    data: Vec<u8>,
    states: Vec<u8>,
    /// Made when the first pointer is stored.
    words: Vec<Option<ObjectId>>,
}

/// Bytes on their way from one object to another.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Blob {
    data: Vec<u8>,
    states: Vec<u8>,
    /// Where whole pointers start, and their objects.
    pointers: Vec<(usize, ObjectId)>,
}

impl Blob {
    /// How many bytes.
    pub(crate) fn len(&self) -> usize {
        self.data.len()
    }
}

impl Bytes {
    pub(super) fn uninitialised(size: usize) -> Self {
        Self { data: vec![0; size], states: vec![UNINITIALISED; size], words: Vec::new() }
    }

    pub(super) fn reset(&mut self, size: usize) {
        self.data.resize(size, 0);
        self.states.clear();
        self.states.resize(size, UNINITIALISED);
        self.words.clear();
    }

    pub(super) fn forget(&mut self) {
        self.states.fill(UNINITIALISED);
    }

    pub(super) fn forget_part(&mut self, offset: usize, size: usize) {
        self.states[offset..offset + size].fill(UNINITIALISED);
    }

    /// Gives the memory back.
    pub(super) fn release(&mut self) {
        *self = Self { data: Vec::new(), states: Vec::new(), words: Vec::new() };
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    pub(super) fn fill(&mut self, offset: usize, size: usize, byte: u8) {
        self.data[offset..offset + size].fill(byte);
        self.states[offset..offset + size].fill(NUMBER);
    }

    #[inline]
    fn is_initialised(&self, offset: usize, size: usize) -> bool {
        self.states[offset..offset + size].iter().all(|&state| state != UNINITIALISED)
    }

    #[inline]
    pub(super) fn bits(&self, offset: usize, size: usize) -> Option<u64> {
        match size {
            1 => (self.states[offset] != UNINITIALISED).then(|| u64::from(self.data[offset])),
            2 => self.array(offset).map(|bytes| u64::from(u16::from_le_bytes(bytes))),
            4 => self.array(offset).map(|bytes| u64::from(u32::from_le_bytes(bytes))),
            8 => self.array(offset).map(u64::from_le_bytes),
            _ => self.number(offset, size).map(|number| number as u64),
        }
    }

    #[inline]
    fn array<const N: usize>(&self, offset: usize) -> Option<[u8; N]> {
        let states: [u8; N] = self.states[offset..offset + N].try_into().expect("the length is N");
        if states.contains(&UNINITIALISED) {
            return None;
        }
        Some(self.data[offset..offset + N].try_into().expect("the length is N"))
    }

    pub(super) fn number(&self, offset: usize, size: usize) -> Option<u128> {
        self.is_initialised(offset, size).then(|| self.raw(offset, size))
    }

    pub(super) fn raw(&self, offset: usize, size: usize) -> u128 {
        let mut bytes = [0; 16];
        for (index, byte) in bytes.iter_mut().take(size).enumerate() {
            if self.states[offset + index] != UNINITIALISED {
                *byte = self.data[offset + index];
            }
        }
        u128::from_le_bytes(bytes)
    }

    #[inline]
    pub(super) fn set_number(&mut self, offset: usize, size: usize, bytes: &[u8]) {
        match size {
            1 => {
                self.data[offset] = bytes[0];
                self.states[offset] = NUMBER;
            }
            4 => self.set_array::<4>(offset, bytes),
            8 => self.set_array::<8>(offset, bytes),
            _ => {
                self.data[offset..offset + size].copy_from_slice(&bytes[..size]);
                self.states[offset..offset + size].fill(NUMBER);
            }
        }
    }

    #[inline]
    fn set_array<const N: usize>(&mut self, offset: usize, bytes: &[u8]) {
        let bytes: [u8; N] = bytes[..N].try_into().expect("the length is N");
        self.data[offset..offset + N].copy_from_slice(&bytes);
        self.states[offset..offset + N].copy_from_slice(&[NUMBER; N]);
    }

    #[inline]
    pub(super) fn word(&self, offset: usize, word: usize) -> Option<ObjectId> {
        let is_whole = offset.is_multiple_of(word) && self.states[offset..offset + word].iter().all(|&s| s == POINTER);
        if is_whole { self.words[offset / word] } else { None }
    }

    #[inline]
    pub(super) fn set_word(&mut self, offset: usize, word: usize, object: ObjectId) {
        if !offset.is_multiple_of(word) {
            return;
        }
        if self.words.len() <= offset / word {
            self.words.resize(self.states.len() / word, None);
        }
        self.words[offset / word] = Some(object);
        self.states[offset..offset + word].fill(POINTER);
    }

    pub(super) fn copy_to(&self, offset: usize, size: usize, word: usize, blob: &mut Blob) {
        blob.data.clear();
        blob.data.extend_from_slice(&self.data[offset..offset + size]);
        blob.states.clear();
        blob.states.extend_from_slice(&self.states[offset..offset + size]);
        blob.pointers.clear();
        if self.words.is_empty() {
            return;
        }
        let first = offset.next_multiple_of(word);
        for start in (first..=(offset + size).saturating_sub(word)).step_by(word) {
            if let Some(object) = self.word(start, word) {
                blob.pointers.push((start - offset, object));
            }
        }
    }

    pub(super) fn copy_from(&mut self, offset: usize, word: usize, blob: &Blob) {
        let size = blob.data.len();
        self.data[offset..offset + size].copy_from_slice(&blob.data);
        for (state, &from) in self.states[offset..offset + size].iter_mut().zip(&blob.states) {
            *state = from.min(NUMBER);
        }
        for &(start, object) in &blob.pointers {
            self.set_word(offset + start, word, object);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: usize = 8;

    fn object(row: usize) -> ObjectId {
        ObjectId::new(row, 0)
    }

    #[test]
    fn a_whole_pointer_is_copied_with_its_object() {
        let mut bytes = Bytes::uninitialised(40);
        bytes.set_number(8, WORD, &77u64.to_le_bytes());
        bytes.set_word(8, WORD, object(5));
        let mut blob = Blob::default();
        bytes.copy_to(4, 16, WORD, &mut blob);
        bytes.copy_from(20, WORD, &blob);
        assert_eq!((bytes.bits(24, WORD), bytes.word(24, WORD)), (Some(77), Some(object(5))));
        assert_eq!(bytes.bits(20, 4), None);
    }

    #[test]
    fn a_part_of_a_pointer_is_a_number() {
        let mut bytes = Bytes::uninitialised(24);
        bytes.set_number(0, WORD, &0x1234u64.to_le_bytes());
        bytes.set_word(0, WORD, object(1));
        let mut blob = Blob::default();
        bytes.copy_to(0, 4, WORD, &mut blob);
        bytes.copy_from(8, WORD, &blob);
        assert_eq!((bytes.bits(8, 4), bytes.word(0, WORD)), (Some(0x1234), Some(object(1))));
        bytes.set_number(3, 1, &[0]);
        assert_eq!((bytes.bits(0, WORD), bytes.word(0, WORD)), (Some(0x1234), None));
    }

    #[test]
    fn what_is_forgotten_is_uninitialised() {
        let mut bytes = Bytes::uninitialised(4);
        bytes.fill(0, 4, 9);
        assert_eq!(bytes.bits(0, 4), Some(0x0909_0909));
        bytes.forget_part(1, 1);
        assert_eq!((bytes.bits(0, 4), bytes.bits(2, 2), bytes.raw(0, 4)), (None, Some(0x0909), 0x0909_0009));
    }
}
