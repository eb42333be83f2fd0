//! `cargo xtask real-c`: the front end on C that nobody here wrote, taken out of packages of the registry.
//!
//! Each program goes from text to call graph: preprocessed, parsed, typed, lowered, linked, points-to sets computed.

use crate::measure::{Usage, usage};
use crate::{Failure, cargo, root};
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// `cargo xtask real-c`.
#[derive(Args)]
pub struct Request {
    /// Parts of names of programs; all where none is given
    names: Vec<String>,
}

/// A program in a package.
pub struct Program {
    /// What it is called.
    pub name: &'static str,
    package: &'static str,
    version: &'static str,
    /// Folders whose `.c` files it is made of, or files, from the package's folder.
    sources: &'static [&'static str],
    include_dirs: &'static [&'static str],
    defines: &'static [&'static str],
}

/// The programs.
pub const PROGRAMS: [Program; 5] = [
    Program {
        name: "sqlite",
        package: "libsqlite3-sys",
        version: "0.39.1",
        sources: &["sqlite3/sqlite3.c"],
        include_dirs: &[],
        defines: &[],
    },
    Program {
        name: "zlib",
        package: "libz-sys",
        version: "1.1.31",
        sources: &["src/zlib"],
        include_dirs: &[],
        defines: &["HAVE_UNISTD_H"],
    },
    Program {
        name: "lua",
        package: "lua-src",
        version: "551.1.0",
        sources: &["lua-5.4.9"],
        include_dirs: &[],
        defines: &["LUA_USE_LINUX"],
    },
    Program {
        name: "zstd",
        package: "zstd-sys",
        version: "2.1.2",
        sources: &["zstd/lib/common", "zstd/lib/compress", "zstd/lib/decompress", "zstd/lib/dictBuilder"],
        include_dirs: &["zstd/lib", "zstd/lib/common"],
        defines: &["ZSTD_DISABLE_ASM"],
    },
    Program {
        name: "mimalloc",
        package: "libmimalloc-sys",
        version: "0.1.49",
        sources: &["c_src/mimalloc/v2/src/static.c"],
        include_dirs: &["c_src/mimalloc/v2/include", "c_src/mimalloc/v2/src"],
        defines: &[],
    },
];

const SECONDS: u64 = 600;

/// Runs every program and prints a line for each; fails where one is not read.
pub fn real_c(request: &Request) -> Result<(), Failure> {
    let packages = fetch()?;
    if !cargo().args(["build", "--release", "--quiet"]).status()?.success() {
        return Err("the command does not build".into());
    }
    let binary = target().join("release/hardbop");
    let is_asked =
        |program: &&Program| request.names.is_empty() || request.names.iter().any(|name| program.name.contains(name));
    let mut unread = Vec::new();
    println!("{:<10} {:>6} {:>9} {:>8} {:>8}", "program", "files", "lines", "CPU s", "MB");
    for program in PROGRAMS.iter().filter(is_asked) {
        let files = program.files(&packages)?;
        let lines: usize = files
            .iter()
            .map(|file| Ok(std::fs::read(file)?.iter().filter(|&&byte| byte == b'\n').count()))
            .sum::<Result<_, Failure>>()?;
        let Usage { code, seconds, megabytes, .. } =
            usage(&program.command(&binary, &packages, &files), SECONDS, &target().join("real-c/output.txt"))?;
        println!("{:<10} {:>6} {:>9} {:>8.2} {:>8.0}", program.name, files.len(), lines, seconds, megabytes);
        if code != Some(0) {
            unread.push(program.name);
        }
    }
    if unread.is_empty() { Ok(()) } else { Err(format!("not read: {}", unread.join(", ")).into()) }
}

/// The folder with the packages, brought from the registry where they are not there yet.
pub fn fetch() -> Result<PathBuf, Failure> {
    let folder = target().join("real-c");
    std::fs::create_dir_all(&folder)?;
    let needs = PROGRAMS.iter().map(|program| format!("{} = \"={}\"\n", program.package, program.version));
    // A workspace of its own, so that it is no part of ours.
    let manifest = format!(
        "[package]\nname = \"real-c\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[lib]\npath = \"lib.rs\"\n\n[workspace]\n\n[dependencies]\n{}",
        needs.collect::<String>()
    );
    let packages = folder.join("packages");
    let known = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    if known != manifest || !packages.is_dir() {
        std::fs::write(folder.join("Cargo.toml"), &manifest)?;
        std::fs::write(folder.join("lib.rs"), "")?;
        let mut vendor = cargo();
        vendor.current_dir(&folder).args(["vendor", "--quiet", "packages"]).stdout(std::process::Stdio::null());
        if !vendor.status()?.success() {
            return Err("the packages cannot be brought from the registry".into());
        }
    }
    Ok(packages)
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

impl Program {
    /// Its `.c` files.
    pub fn files(&self, packages: &Path) -> Result<Vec<PathBuf>, Failure> {
        let mut files = Vec::new();
        for source in self.sources {
            let path = packages.join(self.package).join(source);
            if path.is_file() {
                files.push(path);
                continue;
            }
            let entries = std::fs::read_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, Failure>>()?;
            files.extend(paths.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "c")));
        }
        files.sort();
        Ok(files)
    }

    fn command(&self, binary: &Path, packages: &Path, files: &[PathBuf]) -> Vec<OsString> {
        let mut command: Vec<OsString> = vec![binary.into(), "show".into(), "--stage".into(), "calls".into()];
        command.extend(self.options(packages));
        command.extend(files.iter().map(|file| file.into()));
        command
    }

    /// What a compiler must be told.
    pub fn options(&self, packages: &Path) -> Vec<OsString> {
        let package = packages.join(self.package);
        let mut options: Vec<OsString> = Vec::new();
        options.extend(self.include_dirs.iter().flat_map(|dir| ["-I".into(), package.join(dir).into()]));
        options.extend(self.defines.iter().flat_map(|&name| ["-D".into(), name.into()]));
        options
    }
}
