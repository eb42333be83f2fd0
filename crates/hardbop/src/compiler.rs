//! The system's C compiler, asked only to preprocess: `cc -E`.

use crate::arguments::CompilerOptions;
use crate::evidence::Failure;
use crate::watchdog::meter;
use hardbop_base::{Budget, Diagnostic};
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

/// The codes of this module's diagnostics.
#[cfg(test)]
pub const CODES: &[&str] = &["no-compiler", "preprocessor-failed", "preprocessed-too-large"];

/// Texts larger than this come of macros that feed on each other, not of people.
const LARGEST_TEXT: usize = 256 << 20;
/// What a compiler may use to preprocess one file.
const KILOBYTES: u32 = 1 << 20;
const SECONDS: u32 = 20;
/// So much of what the compiler complains about is kept.
const LONGEST_COMPLAINT: usize = 4096;
const CHUNK: usize = 1 << 16;
const POLL: Duration = Duration::from_millis(20);

/// The text of `path` after preprocessing.
pub fn preprocess(path: &Path, options: &CompilerOptions, budget: &Budget) -> Result<Vec<u8>, Failure> {
    let mut child = start(path, options)?;
    let output = child.stdout.take().expect("the output is piped");
    let complaints = child.stderr.take().expect("the complaints are piped");
    let texts = read_in_chunks(output);
    let complaints = std::thread::spawn(move || read_some(complaints));
    meter::count_group(child.id());
    let collected = collect(&texts, path, budget);
    // Whoever still writes finds nobody who reads, and ends.
    drop(texts);
    if collected.is_err() {
        // It may be gone already, which is as well.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| failed(path, &error.to_string()));
    meter::forget_group();
    // Not before: a grandchild that was not killed may keep its complaints open.
    let (text, status) = (collected?, status?);
    let complaints = complaints.join().unwrap_or_default();
    if status.success() { Ok(text) } else { Err(failed(path, complaints.trim()).into()) }
}

/// Starts the first compiler that is there: the one that `CC` names, with the options that stand there, or what systems
/// call theirs.
fn start(path: &Path, options: &CompilerOptions) -> Result<Child, Diagnostic> {
    let named = std::env::var("CC").unwrap_or_default();
    let candidates = if named.trim().is_empty() { vec!["cc", "gcc", "clang"] } else { vec![named.trim()] };
    let words = candidates.iter().map(|name| name.split_whitespace().collect::<Vec<_>>());
    let Some(words) = words.into_iter().find(|words| is_there(words[0])) else {
        let names: Vec<String> = candidates.iter().map(|name| format!("`{name}`")).collect();
        let names = names.join(", ");
        let message = format!("{} must be preprocessed, and there is no C compiler: {names}", path.display());
        return Err(Diagnostic::error("no-compiler", message, None)
            .help("install one, name one in the environment variable `CC`, or give a preprocessed file, `.i`"));
    };
    let mut command = limited(words[0]);
    command.args(&words[1..]).arg("-E").args(arguments(options)).arg(path);
    command.env("LC_ALL", "C").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map_err(|error| failed(path, &format!("{}: {error}", words[0])))
}

/// Whether `name` is a program, by its path or on the `PATH`.
fn is_there(name: &str) -> bool {
    let is_path = Path::new(name).components().count() > 1;
    let folders = std::env::var_os("PATH").unwrap_or_default();
    if is_path {
        Path::new(name).is_file()
    } else {
        std::env::split_paths(&folders).any(|dir| dir.join(name).is_file())
    }
}

/// The command `name`, with limits of its own where the system has a shell that sets them: macros that feed on each
/// other take gigabytes in seconds, and it is a grandchild of ours that does the work.
fn limited(name: &str) -> Command {
    if cfg!(unix) && is_there("sh") {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("ulimit -v {KILOBYTES}; ulimit -t {SECONDS}; exec \"$0\" \"$@\"")).arg(name);
        shell
    } else {
        Command::new(name)
    }
}

/// The options as the compiler has them.
fn arguments(options: &CompilerOptions) -> Vec<OsString> {
    let mut result = Vec::new();
    let mut add = |option: &str, value: &OsStr| result.extend([OsString::from(option), value.to_owned()]);
    options.include_dirs.iter().for_each(|dir| add("-I", dir.as_os_str()));
    options.defines.iter().for_each(|name| add("-D", name.as_ref()));
    options.undefines.iter().for_each(|name| add("-U", name.as_ref()));
    options.includes.iter().for_each(|file| add("-include", file.as_os_str()));
    result.extend(options.standard.iter().map(|standard| format!("-std={standard}").into()));
    result.extend(options.m32.then(|| "-m32".into()));
    result.extend(options.m64.then(|| "-m64".into()));
    result
}

/// Reads on a thread of its own, so that a limit is noticed while the compiler is silent.
fn read_in_chunks(mut output: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = sync_channel(4);
    std::thread::spawn(move || {
        let mut buffer = vec![0; CHUNK];
        while let Ok(length @ 1..) = output.read(&mut buffer) {
            if sender.send(buffer[..length].to_vec()).is_err() {
                break;
            }
        }
    });
    receiver
}

fn collect(chunks: &Receiver<Vec<u8>>, path: &Path, budget: &Budget) -> Result<Vec<u8>, Failure> {
    use std::sync::mpsc::RecvTimeoutError::{Disconnected, Timeout};
    let mut text = Vec::new();
    loop {
        match chunks.recv_timeout(POLL) {
            Ok(chunk) => text.extend(chunk),
            Err(Timeout) => {}
            Err(Disconnected) => return Ok(text),
        }
        if text.len() > LARGEST_TEXT {
            let message = format!("{} has more than {} MB after preprocessing", path.display(), LARGEST_TEXT >> 20);
            let error = Diagnostic::error("preprocessed-too-large", message, None);
            return Err(error.help("a macro that doubles itself again and again may be the cause").into());
        }
        budget.spend(1).map_err(|_| Failure::Stopped(budget.hit()))?;
    }
}

fn read_some(complaints: impl Read) -> String {
    let mut text = Vec::new();
    let mut complaints = complaints;
    // What is not kept is read all the same, or the compiler would wait for a reader.
    let _ = complaints.by_ref().take(LONGEST_COMPLAINT as u64).read_to_end(&mut text);
    let _ = std::io::copy(&mut complaints, &mut std::io::sink());
    String::from_utf8_lossy(&text).into_owned()
}

fn failed(path: &Path, why: &str) -> Diagnostic {
    let message = format!("{} cannot be preprocessed", path.display());
    let message = if why.is_empty() { message } else { format!("{message}: {why}") };
    Diagnostic::error("preprocessor-failed", message, None)
        .help("`-I DIR` says where headers are, `-D NAME=VALUE` defines a macro, as for the compiler")
}
