//! Programs that include headers of the system: what these bring along is not the user's.

use crate::{Scratch, json};
use serde_json::Value;

/// The places of a program, and what they assume.
#[track_caller]
fn places(program: &str, analysis: &str, options: &[&str], code: i32) -> Vec<(u64, String, Vec<String>)> {
    let file = Scratch::new("t.c", program);
    let answer = json(&[&["flow", file.path(), "--analysis", analysis, "--json"], options].concat(), code);
    let sites = answer["sites"].as_array().unwrap().iter();
    let texts = |site: &Value| {
        site["assumes"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    sites
        .map(|site| {
            assert_eq!(site["file"], file.path());
            (site["line"].as_u64().unwrap(), site["status"].as_str().unwrap().to_owned(), texts(site))
        })
        .collect()
}

#[test]
fn places_in_headers_are_not_the_users() {
    assert_eq!(places("#include <stdlib.h>\nint main(void) { return 0; }\n", "uninit", &[], 0), []);
    let own = "#include <stdlib.h>\nint main(void) {\n  int n;\n  return n;\n}\n";
    assert_eq!(places(own, "uninit", &[], 1), [(4, "may-fail".into(), vec![])]);
}

#[test]
fn a_place_in_a_header_that_may_fail_is_told() {
    let text = "# 1 \"/usr/include/h.h\" 1 3\nstatic int first(int *p) { return *p; }\nstatic int second(int *p) { return *p; }\n\
                # 2 \"t.c\" 2\nint main(void) { int n = 0; return first(&n) + second(0); }\n";
    let file = Scratch::new("t.i", text);
    let answer = json(&["flow", file.path(), "--analysis", "null", "--json"], 1);
    let sites = answer["sites"].as_array().unwrap();
    assert_eq!(sites.len(), 1, "{answer}");
    assert_eq!((&sites[0]["file"], &sites[0]["line"]), (&"/usr/include/h.h".into(), &2.into()));
}

#[test]
fn what_macros_of_headers_make_is_the_users() {
    let text = "#include <ctype.h>\n#include <errno.h>\n#include <stddef.h>\nint main(void) {\n  int n = offsetof(div_t, x);\n  \
                errno = n;\n  return isalpha(n);\n}\n";
    let text = text.replace("int main", "typedef struct { int x; } div_t;\nint main");
    let lines: Vec<u64> = places(&text, "null", &[], 0).into_iter().map(|(line, ..)| line).collect();
    assert!(lines.contains(&7) && lines.contains(&8), "{lines:?}");
}

#[test]
fn what_the_library_has_from_the_start_is_not_assumed() {
    let text = "#include <ctype.h>\n#include <errno.h>\n#include <netdb.h>\n#include <stdio.h>\n\
                int main(int count, char **words) {\n  if (errno || h_errno || isalpha(count))\n    \
                fprintf(stderr, \"%d\\n\", toupper(count) + tolower(fgetc(stdin)));\n  return fclose(stdout);\n}\n";
    for options in [&[][..], &["--pessimistic"]] {
        let found = places(text, "null", options, 0);
        assert!(found.len() > 5, "{found:?}");
        for (line, status, assumes) in found {
            assert_eq!((&*status, &*assumes), ("safe", &[][..]), "line {line}");
        }
    }
    // What is there is not known, and not all zeros.
    let both = "#include <ctype.h>\n#include <errno.h>\nint f(int n) {\n  int *p = 0;\n  if (isalpha(n) && !errno) return *p;\n  \
                if (!isalpha(n) && errno) return *p;\n  return 0;\n}\n";
    let failing: Vec<u64> = places(both, "null", &["--precision", "path"], 1)
        .into_iter()
        .filter(|(_, status, _)| status == "may-fail")
        .map(|(line, ..)| line)
        .collect();
    assert_eq!(failing, [5, 6]);
}

#[test]
fn a_stream_that_the_program_changes_is_what_it_makes_it() {
    let text = "#include <stdio.h>\nint main(void) {\n  stdout = fopen(\"x\", \"w\");\n  return fclose(stdout);\n}\n";
    assert_eq!(places(text, "null", &[], 1), [(4, "may-fail".into(), vec![])]);
}

#[test]
fn what_is_anywhere_outside_does_not_name_the_variables_there() {
    let text = "#include <stdio.h>\n#include <string.h>\n#include <time.h>\nint main(int count, char **words) {\n  \
                if (strcmp(words[1], \"x\") == 0) fprintf(stderr, \"%s\\n\", tzname[0]);\n  return 0;\n}\n";
    let mut assumed: Vec<String> = places(text, "null", &[], 0).into_iter().flat_map(|(.., assumes)| assumes).collect();
    assumed.sort();
    assumed.dedup();
    assert_eq!(assumed, ["*words != NULL where code outside has put it"]);
}
