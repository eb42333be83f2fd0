//! Nondeterminism by repetition: a computation that asks for choices is run once for each way to answer.

/// Answers for one run.
pub struct Choices {
    /// Decided earlier, or `false` where this run was the first to ask.
    script: Vec<bool>,
    asked: usize,
}

impl Choices {
    /// Either value.
    pub fn choose(&mut self) -> bool {
        if self.asked == self.script.len() {
            self.script.push(false);
        }
        self.asked += 1;
        self.script[self.asked - 1]
    }

    /// One of `items`.
    pub fn choose_from<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        let (last, others) = items.split_last().expect("something to choose from");
        others.iter().find(|_| self.choose()).unwrap_or(last)
    }
}

/// What `run` computes, over all choices; a blocked run computes nothing.
pub fn outcomes<T>(run: impl Fn(&mut Choices) -> Option<T>) -> Vec<T> {
    let mut outcomes = Vec::new();
    let mut script = Vec::new();
    loop {
        let mut choices = Choices { script, asked: 0 };
        outcomes.extend(run(&mut choices));
        script = choices.script;
        script.truncate(choices.asked);
        // The next script in the order of binary numbers of any length.
        while script.last() == Some(&true) {
            script.pop();
        }
        match script.last_mut() {
            Some(last) => *last = true,
            None => return outcomes,
        }
    }
}
