//! Statements: loops, switches, jumps.

#[path = "support/functions.rs"]
mod functions;

use expect_test::expect;
use functions::{check, check_findings};

#[test]
fn loops_stay_loops() {
    check(
        "void t(int n) { while (n) n--; while (1) f(n); for (int i = 0; i < n; i++) f(i); for (;;) break; do n++; while (n < 9); }",
        expect![[r#"
            while (n) {
              n = n - 1;
            }
            while (1) {
              f(n);
            }
            i = 0;
            while (i < n) {
              f(i);
              i = i + 1;
            }
            while (1) {
              break;
            }
            while (1) {
              n = n + 1;
              if (n < 9) {
              } else {
                break;
              }
            }
        "#]],
    );
}

#[test]
fn conditions_with_effects_move_into_the_loop() {
    check(
        "void t(int n) { while (f(n)) n--; while (n-- > 0) f(n); for (; f(n) && n; ) ; }",
        expect![[r#"
        while (1) {
          f_1 = f(n);
          if (f_1) {
          } else {
            break;
          }
          n = n - 1;
        }
        while (1) {
          n_1 = n;
          n = n_1 - 1;
          if (n_1 > 0) {
          } else {
            break;
          }
          f(n);
        }
        while (1) {
          f_2 = f(n);
          if (f_2) {
          } else {
            break;
          }
          if (n) {
          } else {
            break;
          }
        }
    "#]],
    );
}

#[test]
fn short_circuits_leave_the_loop() {
    check(
        "void t(int a, int b) { while (a && b) a--; while (a || b) b--; do b++; while (!(a && b)); }",
        expect![[r#"
            while (1) {
              if (a) {
              } else {
                break;
              }
              if (b) {
              } else {
                break;
              }
              a = a - 1;
            }
            while (1) {
              if (a) {
              } else if (b) {
              } else {
                break;
              }
              b = b - 1;
            }
            while (1) {
              b = b + 1;
              if (a) {
                if (b) {
                  break;
                }
              }
            }
        "#]],
    );
}

#[test]
fn continue_goes_to_the_step() {
    check(
        "void t(int n) { for (int i = 0; i < n; i++) { if (i == 3) continue; f(i); } while (n) { if (f(n)) continue; n--; } do { if (n) continue; f(n); } while (n++ < 3); }",
        expect![[r#"
            i = 0;
            while (i < n) {
              if (i == 3) {
                goto next_1;
              }
              f(i);
              next_1:;
              i = i + 1;
            }
            while (n) {
              f_1 = f(n);
              if (f_1) {
                continue;
              }
              n = n - 1;
            }
            while (1) {
              if (n) {
                goto next_2;
              }
              f(n);
              next_2:;
              n_1 = n;
              n = n_1 + 1;
              if (n_1 < 3) {
              } else {
                break;
              }
            }
        "#]],
    );
}

#[test]
fn a_frame_for_macros_is_no_loop() {
    check(
        "void t(int n) { do { f(n); } while (0); do { if (n) break; f(1); } while (0); }",
        expect![[r#"
        f(n);
        if (n) {
          goto end_1;
        }
        f(1);
        end_1:;
    "#]],
    );
}

#[test]
fn conditions_are_nested() {
    check(
        "void t(int a, int b) { if (a && b) f(1); if (a || b) f(2); if (a && !b) f(3); else f(4); if (a || b) f(5); else f(6); if ((a && b) || g) f(7); if (!a) f(8); }",
        expect![[r#"
            if (a) {
              if (b) {
                f(1);
              }
            }
            if (a) {
            } else if (b) {
            } else {
              goto else_1;
            }
            f(2);
            else_1:;
            if (a) {
              if (!b) {
                f(3);
                goto end_2;
              }
            }
            f(4);
            end_2:;
            if (a) {
            } else if (b) {
            } else {
              goto else_3;
            }
            f(5);
            goto end_4;
            else_3:;
            f(6);
            end_4:;
            if (a) {
              if (b) {
                goto end_6;
              }
            }
            if (g) {
            } else {
              goto else_5;
            }
            end_6:;
            f(7);
            else_5:;
            if (!a) {
              f(8);
            }
        "#]],
    );
}

#[test]
fn a_switch_is_tests_and_jumps() {
    check(
        "int t(int n) { switch (n) { case 1: return 1; case 3 ... 5: n++; case 7: break; default: n = 0; } return n; }",
        expect![[r#"
            if (n == 1) {
              goto case_1_1;
            }
            if (n >= 3) {
              if (n <= 5) {
                goto case_3_2;
              }
            }
            if (n == 7) {
              goto case_7_3;
            }
            goto default_5;
            case_1_1:;
            return 1;
            case_3_2:;
            n = n + 1;
            case_7_3:;
            goto end_4;
            default_5:;
            n = 0;
            end_4:;
            return n;
        "#]],
    );
}

#[test]
fn the_value_of_a_switch_is_computed_once() {
    check(
        "void t(struct s *p, unsigned char c) { switch (p->n + 1) { case 1: f(1); case 2: f(2); } switch (c) { case 255: f(3); break; case 1: f(4); } switch (f(5)) { } }",
        expect![[r#"
            p_n_1 = p->n + 1;
            if (p_n_1 == 1) {
              goto case_1_1;
            }
            if (p_n_1 == 2) {
              goto case_2_2;
            }
            goto end_3;
            case_1_1:;
            f(1);
            case_2_2:;
            f(2);
            end_3:;
            c_1 = (int)c;
            if (c_1 == 255) {
              goto case_255_4;
            }
            if (c_1 == 1) {
              goto case_1_6;
            }
            goto end_5;
            case_255_4:;
            f(3);
            goto end_5;
            case_1_6:;
            f(4);
            end_5:;
            f_1 = f(5);
        "#]],
    );
}

#[test]
fn cases_stand_anywhere() {
    check(
        "void t(int n) { switch (n & 3) { case 0: do { f(0); case 1: f(1); if (n) { case 2: f(2); } else default: f(3); } while (--n); } }",
        expect![[r#"
            n_3 = n & 3;
            if (n_3 == 0) {
              goto case_0_1;
            }
            if (n_3 == 1) {
              goto case_1_2;
            }
            if (n_3 == 2) {
              goto case_2_3;
            }
            goto default_4;
            case_0_1:;
            while (1) {
              f(0);
              case_1_2:;
              f(1);
              if (n) {
                case_2_3:;
                f(2);
              } else {
                default_4:;
                f(3);
              }
              n = n - 1;
              if (n) {
              } else {
                break;
              }
            }
        "#]],
    );
}

#[test]
fn break_leaves_the_switch_and_continue_the_loop() {
    check(
        "void t(int n) { while (n--) { switch (n) { case 1: continue; case 2: break; case 3: while (1) break; } f(n); } }",
        expect![[r#"
            while (1) {
              n_1 = n;
              n = n_1 - 1;
              if (n_1) {
              } else {
                break;
              }
              if (n == 1) {
                goto case_1_1;
              }
              if (n == 2) {
                goto case_2_2;
              }
              if (n == 3) {
                goto case_3_4;
              }
              goto end_3;
              case_1_1:;
              continue;
              case_2_2:;
              goto end_3;
              case_3_4:;
              while (1) {
                break;
              }
              end_3:;
              f(n);
            }
        "#]],
    );
}

#[test]
fn jumps_keep_their_labels() {
    check(
        "void t(int n) { again: if (n > 3) goto out; { n++; goto again; } out: ; }",
        expect![[r#"
        again:;
        if (n > 3) {
          goto out;
        }
        n = n + 1;
        goto again;
        out:;
    "#]],
    );
}

#[test]
fn labels_have_addresses() {
    check(
        "void t(int n) { void *p = n ? &&a : &&b; goto *p; a: f(1); b: goto *&&a; }",
        expect![[r#"
        if (n) {
          p = &&a;
        } else {
          p = &&b;
        }
        goto *p;
        a:;
        f(1);
        b:;
        goto a;
    "#]],
    );
}

#[test]
fn local_labels_are_their_own() {
    check(
        "void t(int n) { { __label__ l; l: if (n--) goto l; } { __label__ l; l: if (n++) goto l; } }",
        expect![[r#"
            l:;
            n_1 = n;
            n = n_1 - 1;
            if (n_1) {
              goto l;
            }
            l__1:;
            n_2 = n;
            n = n_2 + 1;
            if (n_2) {
              goto l__1;
            }
        "#]],
    );
}

#[test]
fn returned_values_are_converted() {
    check(
        "char t(int n) { if (n) return n; return 'a'; }",
        expect![[r#"
        if (n) {
          return (char)n;
        }
        return 97;
    "#]],
    );
}

#[test]
fn void_is_returned_by_calls() {
    check(
        "void u(void); void t(int n) { if (n) return u(); return (void)f(n); }",
        expect![[r#"
        if (n) {
          u();
          return;
        }
        f(n);
        return;
    "#]],
    );
}

#[test]
fn assembly_has_operands_without_pointers() {
    check(
        r#"void t(int a, int *p) { asm("nop"); asm volatile ("x %0, %1" : "=r"(a), "+m"(*p) : [in] "r"(*p), "i"(3) : "memory", "cc"); }"#,
        expect![[r#"
            __asm__ volatile ("nop");
            p_1 = *p;
            p_2 = *p;
            __asm__ volatile ("x %0, %1" : "=r" (a), "+m" (p_1) : [in] "r" (p_2), "i" (3) : "memory", "cc");
            *p = p_1;
        "#]],
    );
}

#[test]
fn assembly_may_jump() {
    check(
        r#"void t(int a) { asm goto ("jmp %l1" : : "r"(a) : : out); f(1); out: ; }"#,
        expect![[r#"
        __asm__ volatile goto ("jmp %l1" :  : "r" (a) :  : out);
        f(1);
        out:;
    "#]],
    );
}

#[test]
fn unreachable_labels_stay() {
    check(
        "void t(int n) { goto in; while (0) { in: n++; } if (0) { also: f(n); } if (n) goto also; return; f(2); }",
        expect![[r#"
            goto in;
            while (0) {
              in:;
              n = n + 1;
            }
            if (0) {
              also:;
              f(n);
            }
            if (n) {
              goto also;
            }
            return;
            f(2);
        "#]],
    );
}

#[test]
fn static_assertions_leave_nothing() {
    check(
        r#"void t(void) { _Static_assert(sizeof(int) == 4, "int"); struct local { int x; }; enum { A = 3 }; f(A); }"#,
        expect![[r#"
            f(3);
        "#]],
    );
}

#[test]
fn blocks_have_scopes() {
    check(
        "void t(int x) { { int x = 1; f(x); { int x = 2; f(x); } } f(x); for (int x = 5; x; x--) f(x); }",
        expect![[r#"
            x_1 = 1;
            f(x_1);
            x_2 = 2;
            f(x_2);
            f(x);
            x_3 = 5;
            while (x_3) {
              f(x_3);
              x_3 = x_3 - 1;
            }
        "#]],
    );
}

#[test]
fn break_needs_a_loop() {
    check_findings(
        "void t(void) { break; continue; switch (1) { continue; } }",
        expect![[r#"
        stray-break: `break` stands neither in a loop nor in a switch [break;]
        stray-continue: `continue` does not stand in a loop [continue;]
        stray-continue: `continue` does not stand in a loop [continue;]
    "#]],
    );
}

#[test]
fn labels_must_be_defined_once() {
    check_findings(
        "void t(void) { goto nowhere; l: ; l: ; }",
        expect![[r#"
        undefined-label: the label `nowhere` is used but not defined [nowhere]
        duplicate-label: the label `l` is defined twice [l]
    "#]],
    );
}

#[test]
fn cases_are_different() {
    check_findings(
        "void t(int n, int m) { switch (n) { case 1: case 2 ... 5: case 3: default: default: ; case 7: case m: ; } case 1: ; switch (1.5) { } }",
        expect![[r#"
            duplicate-case: the case 3 stands here twice [3]
            duplicate-case: a switch has one `default` [default]
            not-constant: a case must be an integer constant [m]
            stray-case: `case` stands in no switch [case 1: ;]
            wrong-operands: a switch takes an integer, not a floating number [1.5]
        "#]],
    );
}

#[test]
fn functions_do_not_nest() {
    check_findings(
        "void t(void) { int inner(int x) { return x; } f(inner(1)); }",
        expect![[r#"
        unsupported-construct: a function inside of a function is not supported [int inner(int x) { return x; }]
        implicit-function: `inner` is called before it is declared [inner]
    "#]],
    );
}

#[test]
fn what_lies_behind_a_pointer_is_read_though_nobody_wants_it() {
    check(
        "void t(struct s *p, int *q, int x) { *q; p->next->n; (void)*q; if (q[x]) ; x; &p->n; p->array; *q, x; }",
        expect![[r#"
            q_1 = *q;
            p_next = p->next;
            p_next_n = p_next->n;
            q_2 = *q;
            if (q[(long)x]) {
            }
            q_3 = *q;
        "#]],
    );
}
