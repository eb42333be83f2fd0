//! Calls, and what functions without a body do.

use super::value::constant;
use super::{Access, Generator};
use crate::layout::{Layouts, START, Step};
use crate::memory::{Memory, NodeId, ObjectId, ObjectKind, Site};
use crate::models::{self, Effect, Given};
use crate::solver::{Call, CallId, Use, ValuePart};
use hardbop_base::Span;
use hardbop_c_core::{Callee, Expr, ExprKind, Function, FunctionId, IntKind, Place, Type, TypeId};

/// Flags of `mmap`; the last is one of those that say how memory is shared.
const MAP_ANONYMOUS: i128 = 0x20;
const MAP_FIXED: i128 = 0x10;
const MAP_SHARED: i128 = 1;

/// A call of a library function.
struct Context<'a> {
    function: FunctionId,
    site: Site,
    span: Span,
    arguments: &'a [Vec<ValuePart>],
    /// The arguments' text, where there is one.
    texts: &'a [Expr],
    /// What it returns.
    result: NodeId,
    /// What a new object is an array of.
    element: Option<TypeId>,
    /// The object that it made.
    made: Option<ObjectId>,
}

impl<'m> Generator<'m> {
    pub(super) fn call_at(
        &mut self,
        site: Site,
        span: Span,
        result: Option<&'m Place>,
        callee: &'m Callee,
        texts: &'m [Expr],
    ) {
        let arguments: Vec<Vec<ValuePart>> = texts.iter().map(|argument| self.parts(argument)).collect();
        let mut outcome = Vec::new();
        if let Some(place) = result {
            for (offset, width, _) in self.whole(place.ty, self.solver.memory.outside()) {
                outcome.push((offset, width, self.solver.add_node()));
            }
            self.assign(place, &outcome);
        }
        match callee {
            Callee::Pointer(pointer) => {
                if let Some(node) = self.value(pointer) {
                    let call = self.solver.add_call(node, Call { arguments, result: outcome });
                    self.calls.insert(site, call);
                }
            }
            Callee::Function(function) => {
                self.edges.direct[site.function].push(*function);
                let row = &self.module.functions[*function];
                let Some(model) = models::of(self.module, row) else {
                    return self.solver.pass(&Call { arguments, result: outcome }, *function);
                };
                let target = self.solver.add_node();
                for &(_, _, node) in &outcome {
                    self.solver.add_edge(target, node);
                }
                let element = result.and_then(|place| self.allocated(place));
                let function = *function;
                let context =
                    Context { function, site, span, arguments: &arguments, texts, result: target, element, made: None };
                self.apply(model, context);
            }
        }
    }

    /// What an object is an array of whose address goes to the place.
    fn allocated(&self, place: &Place) -> Option<TypeId> {
        let types = &self.module.types;
        let is_telling = |ty: &TypeId| types.size_of(*ty).is_some_and(|size| size > 1) && !types.is_function(*ty);
        if let Some(pointee) = types.pointee(place.ty).map(|pointee| pointee.ty).filter(is_telling) {
            return Some(pointee);
        }
        let hardbop_c_core::Base::Var(var) = place.base else { return None };
        let mut candidates: Vec<TypeId> = self.casts.get(&var)?.iter().copied().filter(is_telling).collect();
        candidates.sort_unstable();
        candidates.dedup();
        let records: Vec<TypeId> = candidates.iter().copied().filter(|&ty| types.record(ty).is_some()).collect();
        match (&candidates[..], &records[..]) {
            (&[only], _) | (_, &[only]) => Some(only),
            _ => None,
        }
    }

    /// What a function without a body does when it is called through a pointer, or has no model.
    pub(super) fn define_undefined(&mut self, function: FunctionId, row: &Function) {
        let callable = self.solver.callables[&function].clone();
        let Type::Function(ty) = self.module.types.get(row.ty) else { return };
        let returned = ty.result;
        let Some(model) = models::of(self.module, row) else {
            if self.solver.is_outside_active {
                for object in callable.parameters.iter().copied().chain([callable.rest]) {
                    for cell in self.solver.memory.nodes(object) {
                        self.solver.add_edge(cell, self.solver.memory.outside());
                    }
                }
            }
            if self.may_return_pointer(returned) {
                for cell in self.solver.memory.nodes(callable.result) {
                    self.solver.add_location(cell, Memory::UNKNOWN);
                }
            }
            return;
        };
        let result = self.solver.add_node();
        for cell in self.solver.memory.nodes(callable.result) {
            self.solver.add_edge(result, cell);
        }
        let mut arguments: Vec<Vec<ValuePart>> = Vec::new();
        for &object in &callable.parameters {
            arguments.push(self.solver.memory.nodes(object).map(|node| (0, u64::MAX, node)).collect());
        }
        let (site, span) = (Site { function, call: 0 }, row.span);
        let element = None;
        self.apply(
            model,
            Context { function, site, span, arguments: &arguments, texts: &[], result, element, made: None },
        );
    }

    /// Integers of type `int` are taken to be numbers, even where pointers are no wider.
    fn may_return_pointer(&self, ty: TypeId) -> bool {
        let types = &self.module.types;
        match types.get(ty) {
            Type::Pointer(_) | Type::Record(_) => true,
            Type::Int(kind) => {
                !matches!(kind, IntKind::Int | IntKind::UnsignedInt) && types.int_size(*kind) >= types.pointer_size()
            }
            _ => false,
        }
    }

    fn apply(&mut self, model: &'static [Effect], mut context: Context<'_>) {
        for &effect in model {
            self.apply_effect(effect, &mut context);
        }
    }

    fn apply_effect(&mut self, effect: Effect, context: &mut Context<'_>) {
        match effect {
            Effect::ReturnsFresh | Effect::ReturnsOpaque | Effect::ReturnsOpened => {
                let location = self.fresh(context, effect);
                self.solver.add_location(context.result, location);
            }
            Effect::ReturnsNull | Effect::Resumes | Effect::Ends => {}
            Effect::ReturnsUnknown => self.solver.add_location(context.result, Memory::UNKNOWN),
            Effect::ReturnsArgument(index) => self.give(self.argument(context, index), context.result),
            Effect::ReturnsInto(_) | Effect::ReturnsElement(..) | Effect::ReturnsKept => {
                let pointer = self.moved_pointer(context, effect);
                self.give(pointer, context.result);
            }
            Effect::MapsMemory(flags) => self.map_memory(context, flags),
            Effect::Shuffles(index, size) => self.shuffle(context, index, size),
            Effect::Moves(from) => self.move_contents(context, from),
            Effect::Copies(to, from, length) => self.copy_bytes(context, (to, from), length),
            Effect::StoresInto(to, from) => {
                let value = self.byte_of(context, from);
                self.store_at(context, to, value);
            }
            Effect::StoresFresh(to) => {
                let location = self.fresh(context, Effect::ReturnsFresh);
                let value = self.constant(location);
                self.store_at(context, to, Some(value));
            }
            Effect::StoresUnknown(to) => {
                let value = self.constant(Memory::UNKNOWN);
                self.store_at(context, to, Some(value));
            }
            Effect::Scans(first) => self.scan(context, first),
            Effect::ScansList(list) => self.scan_list(context, list),
            Effect::StartsList(to) => {
                let rest = self.solver.callables[&context.site.function].rest;
                let location = self.solver.memory.location(rest, START);
                let value = self.constant(location);
                self.store_at(context, to, Some(value));
            }
            Effect::ReturnsStored(index) => {
                let Some(pointer) = self.argument(context, index) else { return };
                let stored = self.read(&Access::Through(pointer), self.module.types.pointer_size());
                let moved = self.shift(stored, Step::Walk(1));
                self.solver.add_edge(moved, context.result);
                self.store_at(context, index, Some(moved));
            }
            Effect::Escapes(index) => self.give(self.argument(context, index), self.solver.memory.outside()),
            Effect::Calls(callee, given) => {
                let nowhere = self.solver.add_node();
                self.call_back(context, callee, given, nowhere);
            }
            Effect::Threads(callee, given) => {
                let outside = self.solver.memory.outside();
                if let Some(call) = self.call_back(context, callee, given, outside) {
                    self.edges.threads.push(call);
                }
            }
            Effect::Keeps(index) => self.give(self.argument(context, index), self.kept(context.function)),
        }
    }

    fn moved_pointer(&mut self, context: &Context<'_>, effect: Effect) -> Option<NodeId> {
        match effect {
            Effect::ReturnsInto(index) => self.byte_of(context, index),
            Effect::ReturnsElement(index, size) => self.element_of(context, index, size),
            _ => {
                let kept = self.kept(context.function);
                Some(self.shift(kept, Step::Walk(1)))
            }
        }
    }

    fn shuffle(&mut self, context: &Context<'_>, index: usize, size: usize) {
        let Some(element) = self.element_of(context, index, size) else { return };
        let value = self.solver.add_node();
        self.solver.add_use(element, Use::Load(1, value));
        self.solver.add_use(element, Use::Store(1, value));
    }

    /// The node in which a library function remembers things: that of the arguments it does not take.
    fn kept(&self, function: FunctionId) -> NodeId {
        self.solver.memory.node(self.solver.callables[&function].rest, 0)
    }

    fn give(&mut self, value: Option<NodeId>, to: NodeId) {
        if let Some(value) = value {
            self.solver.add_edge(value, to);
        }
    }

    fn argument(&self, context: &Context<'_>, index: usize) -> Option<NodeId> {
        context.arguments.get(index)?.first().map(|&(_, _, node)| node)
    }

    /// The type that an argument points to before it is converted to `void *`.
    fn pointee(&self, context: &Context<'_>, index: usize) -> Option<TypeId> {
        let mut text = context.texts.get(index)?;
        while let ExprKind::Cast(operand) = &text.kind {
            if !self.module.types.is_pointer(operand.ty) {
                break;
            }
            text = operand;
        }
        self.module.types.pointee(text.ty).map(|pointee| pointee.ty)
    }

    fn byte_of(&mut self, context: &Context<'_>, index: usize) -> Option<NodeId> {
        let node = self.argument(context, index)?;
        Some(self.shift(node, Step::Walk(1)))
    }

    /// A pointer to any element of what an argument points to; another argument says how many bytes one has.
    fn element_of(&mut self, context: &Context<'_>, index: usize, size: usize) -> Option<NodeId> {
        let node = self.argument(context, index)?;
        let size = self.constant_argument(context, size).and_then(|size| u64::try_from(size).ok());
        Some(self.shift(node, Step::Walk(size.unwrap_or(1).max(1))))
    }

    fn constant_argument(&self, context: &Context<'_>, index: usize) -> Option<i128> {
        context.texts.get(index).and_then(|text| constant(self.module, text))
    }

    /// `mmap` with these flags.
    fn map_memory(&mut self, context: &mut Context<'_>, flags: Option<usize>) {
        let flags = flags.and_then(|index| self.constant_argument(context, index));
        let is = |flag: i128| flags.is_none_or(|flags| flags & flag != 0);
        if flags.is_some() && !is(MAP_SHARED) && !is(MAP_FIXED) && is(MAP_ANONYMOUS) {
            let location = self.fresh(context, Effect::ReturnsFresh);
            return self.solver.add_location(context.result, location);
        }
        // A declaration that nobody calls maps nothing.
        let is_called = !context.texts.is_empty() || self.module.functions[context.function].is_address_taken;
        self.edges.shares_memory |= is_called && is(MAP_SHARED);
        self.solver.add_location(context.result, Memory::UNKNOWN);
        self.give(self.argument(context, 0), context.result);
    }

    fn store_at(&mut self, context: &Context<'_>, to: usize, value: Option<NodeId>) {
        if let (Some(to), Some(value)) = (self.argument(context, to), value) {
            let width = self.module.types.pointer_size();
            self.write(&Access::Through(to), width, value);
        }
    }

    /// Pointers are only read to where pointers are.
    fn scan(&mut self, context: &mut Context<'_>, first: usize) {
        let types = &self.module.types;
        let may_be_pointer = |ty: TypeId| types.is_pointer(ty) || types.is_void(ty);
        let is_meant = |&index: &usize| self.pointee(context, index).is_none_or(may_be_pointer);
        let meant = (first..context.arguments.len()).filter(is_meant);
        let mut to: Vec<NodeId> = meant.filter_map(|index| self.argument(context, index)).collect();
        if context.texts.is_empty() {
            to.push(self.solver.memory.node(self.solver.callables[&context.function].rest, 0));
        }
        self.store_scanned(context, &to);
    }

    fn scan_list(&mut self, context: &mut Context<'_>, list: usize) {
        if let Some(list) = self.argument(context, list) {
            let arguments = self.listed(list);
            self.store_scanned(context, &[arguments]);
        }
    }

    fn store_scanned(&mut self, context: &mut Context<'_>, to: &[NodeId]) {
        if to.is_empty() {
            return;
        }
        let width = self.module.types.pointer_size();
        for location in [self.fresh(context, Effect::ReturnsFresh), Memory::UNKNOWN] {
            let value = self.constant(location);
            to.iter().for_each(|&to| self.write(&Access::Through(to), width, value));
        }
    }

    fn fresh(&mut self, context: &mut Context<'_>, effect: Effect) -> u32 {
        let layout = match context.element {
            Some(element) => self.layouts.of_many(&self.module.types, element),
            None => Layouts::lump(),
        };
        let make = if effect == Effect::ReturnsFresh { ObjectKind::Heap } else { ObjectKind::Opaque };
        let object = self.solver.memory.add(make(context.site, context.span), layout);
        context.made = Some(object);
        let location = self.solver.memory.location(object, START);
        if effect == Effect::ReturnsOpaque {
            self.solver.add_location(self.solver.memory.outside(), location);
        }
        location
    }

    fn move_contents(&mut self, context: &Context<'_>, from: usize) {
        let moved = self.pointee(context, from);
        let (Some(from), Some(made)) = (self.argument(context, from), context.made) else { return };
        let location = self.solver.memory.location(made, START);
        let to = self.constant(location);
        // Grown as the array that it was, or as bytes.
        let element = context.element.filter(|&element| moved == Some(element));
        self.copy_parts(to, from, element);
    }

    fn copy_bytes(&mut self, context: &Context<'_>, (to, from): (usize, usize), length: Option<usize>) {
        let (Some(target), Some(source)) = (self.argument(context, to), self.argument(context, from)) else { return };
        let length = length.and_then(|index| self.constant_argument(context, index));
        // Bytes beyond the type that the text tells would be missed.
        let fits = |ty: &TypeId| {
            let size = self.module.types.size_of(*ty);
            length.zip(size).is_some_and(|(length, size)| length <= i128::from(size))
        };
        let told = [to, from].into_iter().find_map(|index| self.pointee(context, index).filter(fits));
        self.copy_parts(target, source, told);
    }

    /// Copies what is behind pointers, part by part if it is known what is there.
    fn copy_parts(&mut self, to: NodeId, from: NodeId, ty: Option<TypeId>) {
        let parts: Vec<(u64, u64)> = match ty {
            Some(ty) => self.layouts.parts(&self.module.types, ty).to_vec(),
            None => vec![(0, u64::MAX)],
        };
        let size = ty.map_or(u64::MAX, |ty| self.width(ty));
        for (offset, width) in parts {
            let step = if offset == 0 { Step::Add(0) } else { Step::Field { offset, size } };
            let (to, from) = (self.shift(to, step), self.shift(from, step));
            let value = self.solver.add_node();
            self.solver.add_use(from, Use::Load(width, value));
            self.solver.add_use(to, Use::Store(width, value));
        }
    }

    fn call_back(
        &mut self,
        context: &Context<'_>,
        callee: usize,
        given: &'static [Given],
        result: NodeId,
    ) -> Option<CallId> {
        let pointer = self.argument(context, callee)?;
        let width = self.module.types.pointer_size();
        let mut arguments = Vec::new();
        for given in given {
            let node = match *given {
                Given::Same(index) => self.argument(context, index),
                Given::Element(index, size) => self.element_of(context, index, size),
                Given::Number => None,
                Given::Unknown => Some(self.constant(Memory::UNKNOWN)),
            };
            arguments.push(node.map(|node| (0, width, node)).into_iter().collect());
        }
        let call = self.solver.add_call(pointer, Call { arguments, result: vec![(0, width, result)] });
        self.edges.call_backs.push((context.function, call));
        Some(call)
    }
}
