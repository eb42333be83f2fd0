//! Traces for programs: a list of steps, and a list of such lists for what crossed calls do, each once.
//!
//! Written as they are walked through: a run can have hundreds of thousands of steps.

use super::{Call, Run, Step, Trace, Value};
use hardbop_icfg::Type;
use hardbop_verdict::Length;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// The steps from the first state to the goal; the last object is the goal's.
pub struct Main<'a>(pub &'a Trace);

/// The steps of all sub-traces; `{"fold": k}` in a step names row `k`.
pub struct Subtraces<'a>(pub &'a Trace);

/// Whether a shorter run might exist.
pub const fn is_shortest(trace: &Trace) -> bool {
    matches!(trace.length, Length::Shortest)
}

impl Serialize for Main<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Steps(self.0, &self.0.main).serialize(serializer)
    }
}

impl Serialize for Subtraces<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.subtraces.iter().map(|run| Steps(self.0, run)))
    }
}

struct Steps<'a>(&'a Trace, &'a Run);
struct OneStep<'a>(&'a Trace, &'a Step);
struct Values<'a>(&'a Trace, &'a Step);
struct CallOf(Call);

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(trace, run) = self;
        let mut seq = serializer.serialize_seq(Some(run.steps.len() + 1))?;
        for step in run.steps.iter().chain([&run.end]) {
            seq.serialize_element(&OneStep(trace, step))?;
        }
        seq.end()
    }
}

impl Serialize for OneStep<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(trace, step) = self;
        let place = &trace.places[step.place];
        let mut map = serializer.serialize_map(Some(7))?;
        map.serialize_entry("depth", &step.depth)?;
        map.serialize_entry("file", &place.path)?;
        map.serialize_entry("line", &place.line)?;
        map.serialize_entry("proc", &trace.scopes[place.scope].procedure)?;
        map.serialize_entry("statement", &place.text)?;
        map.serialize_entry("values", &Values(trace, step))?;
        map.serialize_entry("call", &CallOf(step.call))?;
        map.end()
    }
}

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(trace, step) = self;
        let variables = &trace.scopes[trace.places[step.place].scope].variables;
        serializer.collect_map(variables.iter().zip(&step.values).map(|(&id, value)| {
            let variable = &trace.variables[id];
            let value = match (value, &variable.kind) {
                (Value::Any | Value::Inherited, _) => serde_json::Value::Null,
                (Value::Is(value), Type::Bool) => (*value != 0).into(),
                (Value::Is(number), Type::Number) if u64::try_from(*number).is_ok() => (*number as u64).into(),
                (value, _) => variable.show(*value).into(),
            };
            (&variable.name, value)
        }))
    }
}

impl Serialize for CallOf {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use hardbop_base::Idx;
        match self.0 {
            Call::None => serializer.serialize_none(),
            Call::Enter => serializer.serialize_str("enter"),
            Call::Cross(sub) => serializer.collect_map([("fold", sub.index())]),
        }
    }
}
