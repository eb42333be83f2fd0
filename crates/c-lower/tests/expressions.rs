//! Expressions: conversions written out, effects taken apart, no temporary without need.

#[path = "support/functions.rs"]
mod functions;

use expect_test::expect;
use functions::{check, check_findings};

#[test]
fn a_call_goes_straight_into_a_variable() {
    check(
        "void t(int x) { x = f(x); g = f(x) + 1; }",
        expect![[r#"
        x = f(x);
        f_1 = f(x);
        g = f_1 + 1;
    "#]],
    );
}

#[test]
fn one_read_through_a_pointer_stays() {
    check(
        "void t(struct s *p, int x) { x = *p->next->q + 1; x = p->n + 1; }",
        expect![[r#"
        p_next = p->next;
        p_next_q = p_next->q;
        x = *p_next_q + 1;
        x = p->n + 1;
    "#]],
    );
}

#[test]
fn a_second_read_goes_into_a_temporary() {
    check(
        "void t(int *p, int *q) { *q = *p + 1; *q = *p + *q; }",
        expect![[r#"
        p_1 = *p;
        *q = p_1 + 1;
        p_2 = *p;
        q_1 = *q;
        *q = p_2 + q_1;
    "#]],
    );
}

#[test]
fn conversions_are_written_out() {
    check(
        "void t(char c, unsigned u, long l, double d, float x) { l = c + u; d = c * x; c = l; u = d; c += u; }",
        expect![[r#"
            l = (long)((unsigned int)(int)c + u);
            d = (double)((float)(int)c * x);
            c = (char)l;
            u = (unsigned int)d;
            c = (char)((unsigned int)(int)c + u);
        "#]],
    );
}

#[test]
fn bit_fields_are_promoted_by_width() {
    check(
        "void t(struct s *p, unsigned u) { u = p->low - 1 < 0; p->low++; g = p->low = u; }",
        expect![[r#"
        u = (unsigned int)((int)p->low - 1 < 0);
        p_low = (int)p->low;
        p->low = (unsigned int)(p_low + 1);
        p->low = u;
        g = (int)(u & 7U);
    "#]],
    );
}

#[test]
fn short_circuits_are_branches() {
    check(
        "void t(int a, int b, int c) { g = a && b; c = (a && b) || c; }",
        expect![[r#"
        if (a) {
          g = b != 0;
        } else {
          g = 0;
        }
        if (a) {
          if (b) {
            c = 1;
            goto end_1;
          }
        }
        c = c != 0;
        end_1:;
    "#]],
    );
}

#[test]
fn constant_short_circuits_are_folded() {
    check(
        "void t(int a) { g = 0 && f(a); g = 1 || f(a); g = 1 ? a : f(a); }",
        expect![[r#"
        g = 0;
        g = 1;
        g = a;
    "#]],
    );
}

#[test]
fn a_conditional_assigns_a_variable_in_both_branches() {
    check(
        "void t(int a, int *p) { a = a ? f(a) : *p; *p = a ? 1 : 2; }",
        expect![[r#"
        if (a) {
          a = f(a);
        } else {
          a = *p;
        }
        if (a) {
          value = 1;
        } else {
          value = 2;
        }
        *p = value;
    "#]],
    );
}

#[test]
fn the_middle_may_be_left_out() {
    check(
        "void t(int a) { a = f(a) ?: g; a = a ?: 3; }",
        expect![[r#"
            f_1 = f(a);
            if (f_1) {
              a = f_1;
            } else {
              a = g;
            }
            if (a) {
            } else {
              a = 3;
            }
        "#]],
    );
}

#[test]
fn pointers_meet_in_a_conditional() {
    check(
        "void t(int a, int *p, const int *q) { const int *r = a ? p : q; void *v = a ? (void *)0 : p; v = a ? v : p; }",
        expect![[r#"
            if (a) {
              r = (const int *)p;
            } else {
              r = q;
            }
            if (a) {
              v_1 = (void *)0;
            } else {
              v_1 = (void *)p;
            }
            if (a) {
            } else {
              v_1 = (void *)p;
            }
        "#]],
    );
}

#[test]
fn an_assignment_has_the_value_of_its_left_side() {
    check(
        "void t(int a, char c, int *p) { a = c = 300; a = *p = a + 1; a = g = f(a); }",
        expect![[r#"
        c = 44;
        a = 44;
        p_1 = a + 1;
        *p = p_1;
        a = p_1;
        g = f(a);
        a = g;
    "#]],
    );
}

#[test]
fn a_volatile_is_not_read_again() {
    check(
        "void t(int a) { a = v = a + 1; v; v++; a = v + v; }",
        expect![[r#"
            v_1 = a + 1;
            v = v_1;
            a = v_1;
            v_2 = v;
            v = v + 1;
            v_3 = v;
            a = v_3 + v;
        "#]],
    );
}

#[test]
fn old_values_are_kept_only_if_used() {
    check(
        "void t(int a, int *p) { a++; a = a++ + 1; *p++ = 3; (*p)++; a = (*p)--; --*p; }",
        expect![[r#"
        a = a + 1;
        a_1 = a;
        a = a_1 + 1;
        a = a_1 + 1;
        p_1 = p;
        p = p_1 + 1;
        *p_1 = 3;
        p_2 = *p;
        *p = p_2 + 1;
        p_3 = *p;
        *p = p_3 - 1;
        a = p_3;
        p_4 = *p;
        *p = p_4 - 1;
    "#]],
    );
}

#[test]
fn the_place_of_a_compound_assignment_is_found_once() {
    check(
        "void t(int *p, int i) { p[i++] += 2; *h(p) <<= 1; p += i; }",
        expect![[r#"
        i_1 = i;
        i = i_1 + 1;
        p_i = p[(long)i_1];
        p[(long)i_1] = p_i + 2;
        h_1 = h(p);
        h_2 = *h_1;
        *h_1 = h_2 << 1;
        p = p + (long)i;
    "#]],
    );
}

#[test]
fn what_a_call_may_change_is_read_before_it() {
    check(
        "void t(int a) { int b = a, *p = &b; a = b - f(a); a = g - f(a); a = a - f(a); g = (a = 1) - (a = 2); }",
        expect![[r#"
            b = a;
            p = &b;
            b_1 = b;
            f_1 = f(a);
            a = b_1 - f_1;
            g_1 = g;
            f_2 = f(a);
            a = g_1 - f_2;
            f_3 = f(a);
            a = a - f_3;
            a = 1;
            a = 2;
            g = -1;
        "#]],
    );
}

#[test]
fn arguments_are_kept_apart() {
    check(
        "void t(struct s *p, int a) { two(a++, a); two(p->n, *p->q); two(g, f(1)); }",
        expect![[r#"
        a_1 = a;
        a = a_1 + 1;
        two(a_1, a);
        p_q = p->q;
        p_n = p->n;
        two(p_n, *p_q);
        g_1 = g;
        f_1 = f(1);
        two(g_1, f_1);
    "#]],
    );
}

#[test]
fn functions_are_called_through_pointers() {
    check(
        "void t(struct s *p, int (*k)(int)) { g = (*k)(1) + (***k)(2) + (*f)(3) + (&f)(4); g = p->call(5); k = *f; }",
        expect![[r#"
            k_1 = (*k)(1);
            k_2 = (*k)(2);
            f_1 = f(3);
            f_2 = f(4);
            g = k_1 + k_2 + f_1 + f_2;
            p_call = p->call;
            g = (*p_call)(5);
            k = f;
        "#]],
    );
}

#[test]
fn promotions_are_for_unknown_parameters() {
    check(
        "void t(char c, float x) { old(c, x); print((char *)0, c, x, (short)1); }",
        expect![[r#"
        old((int)c, (double)x);
        print((const char *)0, (int)c, (double)x, 1);
    "#]],
    );
}

#[test]
fn a_member_of_a_result_needs_a_temporary() {
    check(
        "void t(struct s *p) { g = make().n; g = (*p = make()).n; g = (g ? *p : make()).n; }",
        expect![[r#"
        make_1 = make();
        g = make_1.n;
        make_2 = make();
        *p = make_2;
        g = make_2.n;
        if (g) {
          value = *p;
        } else {
          value = make();
        }
        g = value.n;
    "#]],
    );
}

#[test]
fn compound_literals_are_variables() {
    check(
        "void t(int a) { int *p = (int[]){ a, 2 }; g = ((struct s){ .n = a }).n; }",
        expect![[r#"
        value[0] = a;
        value[1] = 2;
        p = &value[0];
        __builtin_memset(&value_1, 0, sizeof(value_1));
        value_1.n = a;
        g = value_1.n;
    "#]],
    );
}

#[test]
fn statement_expressions_have_the_last_value() {
    check(
        "void t(int a) { a = ({ int b = f(a); b + 1; }); ({ f(a); }); g = ({ struct s x = make(); x; }).n; }",
        expect![[r#"
            b = f(a);
            a = b + 1;
            f(a);
            x = make();
            g = x.n;
        "#]],
    );
}

#[test]
fn sizes_are_constants_unless_a_run_knows_them() {
    check(
        "void t(int n) { int a[n]; g = sizeof a + sizeof(int[3]) + sizeof(struct s) + sizeof n++ + _Alignof(long); }",
        expect![[r#"
            length = (unsigned long)n;
            array = __builtin_alloca(length * 4UL);
            a = (int *)array;
            g = (int)(length * 4UL + 12UL + 48UL + 4UL + 8UL);
        "#]],
    );
}

#[test]
fn elements_of_variable_length_are_counted_out() {
    check(
        "void t(int n, int a[n][n + 1]) { a[1][2] = 3; g = a[n][1]; int b[2][n]; b[1][0] = sizeof b[0]; }",
        expect![[r#"
            length = (unsigned long)(n + 1);
            (a + 1UL * length)[2] = 3;
            g = (a + (unsigned long)(long)n * length)[1];
            length_1 = (unsigned long)n;
            array = __builtin_alloca(2UL * length_1 * 4UL);
            b = (int *)array;
            b[1UL * length_1] = (int)(length_1 * 4UL);
        "#]],
    );
}

#[test]
fn offsets_are_computed() {
    check(
        "void t(int n) { g = __builtin_offsetof(struct s, q) + __builtin_offsetof(struct s, array[2]) + __builtin_offsetof(struct s, array[n]) + (long)&((struct s *)0)->next; }",
        expect![[r#"
            g = (int)(48UL + (24UL + (unsigned long)n * 4UL) + 8UL);
        "#]],
    );
}

#[test]
fn generic_selection_looks_at_the_converted_type() {
    check(
        r#"void t(const char c) { g = _Generic(c, char: 1, int: 2) + _Generic(+c, char: 1, int: 2) + _Generic("", char *: 4, default: 8); }"#,
        expect![[r#"
            g = 7;
        "#]],
    );
}

#[test]
fn arguments_are_fetched_one_by_one() {
    check(
        "void t(int n, ...) { __builtin_va_list l, m; __builtin_va_start(l, n); g = __builtin_va_arg(l, int); __builtin_va_copy(m, l); two(__builtin_va_arg(m, int), 1); __builtin_va_end(l); }",
        expect![[r#"
            __builtin_va_start(l, n);
            g = __builtin_va_arg(l, int);
            __builtin_va_copy(m, l);
            va_arg = __builtin_va_arg(m, int);
            two(va_arg, 1);
            __builtin_va_end(l);
        "#]],
    );
}

#[test]
fn overflow_is_seen_in_wider_arithmetic() {
    check(
        "void t(int a, long b, int *p) { g = __builtin_add_overflow(a, 1, p); if (__builtin_mul_overflow(b, b, &b)) f(1); }",
        expect![[r#"
            a_1 = (long long)a + 1LL;
            *p = (int)a_1;
            g = (long long)(int)a_1 != a_1;
            b_b = (__int128)b * (__int128)b;
            b = (long)b_b;
            if ((_Bool)((__int128)(long)b_b != b_b)) {
              f(1);
            }
        "#]],
    );
}

#[test]
fn atomics_are_loads_and_stores() {
    check(
        "void t(int *p, int a) { a = __sync_fetch_and_add(p, 2); __atomic_store_n(p, a, 5); a = __atomic_compare_exchange_n(p, &g, 3, 0, 5, 5); }",
        expect![[r#"
            p_1 = *p;
            *p = p_1 + 2;
            a = p_1;
            *p = a;
            p_2 = *p;
            g_1 = g;
            if (p_2 == g_1) {
              *p = 3;
              compare_and_swap = 1;
            } else {
              g = p_2;
              compare_and_swap = 0;
            }
            a = (int)compare_and_swap;
        "#]],
    );
}

#[test]
fn hints_are_dropped() {
    check(
        "void t(int a, int *p) { if (__builtin_expect(!!(a && *p), 0)) f(1); a = __builtin_expect(a, 1); __builtin_prefetch(p); p = __builtin_assume_aligned(p, 16); }",
        expect![[r#"
            if (a) {
              if (*p) {
                f(1);
              }
            }
            a = a;
            p = (int *)(void *)p;
        "#]],
    );
}

#[test]
fn library_functions_lose_their_prefix() {
    check(
        r#"void t(char *p) { __builtin_memcpy(p, "ab", 3); g = __builtin_strlen(p) + __builtin_strlen("abc"); __builtin_trap(); }"#,
        expect![[r#"
            memcpy((void *)p, (const void *)"ab", 3UL);
            strlen_1 = strlen((const char *)p);
            g = (int)(strlen_1 + 3UL);
            __builtin_trap();
        "#]],
    );
}

#[test]
fn pointer_arithmetic_counts_elements() {
    check(
        "void t(int *p, char *c, void *v, unsigned i) { p = p + i - 2; g = p - &g; v = v + 1; g = c[i] + 2[p] + *(p + 1); g = p == v; }",
        expect![[r#"
            p = p + (long)i - 2;
            g = (int)(p - &g);
            v_1 = v_1 + 1;
            c_i = c[(long)i];
            p_2 = p[2];
            g = (int)c_i + p_2 + p[1];
            g = p == (int *)v_1;
        "#]],
    );
}

#[test]
fn arrays_become_pointers() {
    check(
        "void t(int i) { int a[3], m[2][3], *p = a, (*q)[3] = m; p = &a[1]; a[i] = m[1][i]; p = m[i]; g = *a + a == p; q = &m[1]; }",
        expect![[r#"
            p = &a[0];
            q = &m[0];
            p = &a[1];
            a[(long)i] = m[1][(long)i];
            p = &m[(long)i][0];
            g = &a[0] + (long)a[0] == p;
            q = &m[1];
        "#]],
    );
}

#[test]
fn strings_are_variables() {
    check(
        r#"void t(int i) { const char *p = i ? "a" : "b"; g = "xyz"[i]; g = sizeof "xyz"; p = __func__; }"#,
        expect![[r#"
            if (i) {
              p = (const char *)"a";
            } else {
              p = (const char *)"b";
            }
            g = (int)"xyz"[(long)i];
            g = 4;
            p = "t";
        "#]],
    );
}

#[test]
fn complex_numbers_are_kept() {
    check(
        "void t(double d) { _Complex double z = d + 2.0i; __imag__ z = 1; d = __real__ (z * z); }",
        expect![[r#"
        z = (_Complex double)d + 2.0i;
        ((double *)&z)[1] = 1.0;
        d = __real__ (z * z);
    "#]],
    );
}

#[test]
fn vectors_are_kept_and_indexed() {
    check(
        "typedef int v4 __attribute__((vector_size(16))); void t(v4 a, v4 b, int i) { a = a + b; a[i] = b[0]; a = a * 2; }",
        expect![[r#"
            a = a + b;
            a[(long)i] = b[0];
            value = 2;
            vector[0] = value;
            vector[1] = value;
            vector[2] = value;
            vector[3] = value;
            a = a * vector;
        "#]],
    );
}

#[test]
fn commas_are_sequences() {
    check(
        "void t(int a) { a = (f(1), f(2), a); for (a = 1, g = 2; f(0), a < g; a++, g--) ; }",
        expect![[r#"
        f(1);
        f(2);
        a = a;
        a = 1;
        g = 2;
        while (1) {
          f(0);
          if (a < g) {
          } else {
            break;
          }
          a = a + 1;
          g = g - 1;
        }
    "#]],
    );
}

#[test]
fn undeclared_names_are_reported() {
    check_findings(
        "void t(int count) { conut = 1; g = cuont + 1; }",
        expect![[r#"
        undeclared: `conut` is not declared [conut]
        undeclared: `cuont` is not declared [cuont]
    "#]],
    );
}

#[test]
fn members_must_exist() {
    check_findings(
        "void t(struct s *p, int a) { p->nxt = 0; a.x = 1; struct u *q; q->y = 2; }",
        expect![[r#"
        no-such-member: `struct s` has no member `nxt`; did you mean `next`? [nxt]
        no-such-member: an integer has no member `x` [x]
        incomplete-type: `struct u` is only declared [y]
    "#]],
    );
}

#[test]
fn places_are_needed() {
    check_findings(
        "void t(int a, const int c) { a + 1 = 2; f(a)++; c = 1; &a + 1; &3; }",
        expect![[r#"
            not-assignable: this is no place that can be assigned to [a + 1]
            not-assignable: this is no place that can be assigned to [f(a)]
            read-only: `c` is `const` [c]
            not-addressable: this has no address [&3]
        "#]],
    );
}

#[test]
fn operands_must_fit() {
    check_findings(
        "void t(struct s x, int *p) { x + 1; p * 2; -p; x ? 1 : 2; !x; 1.5 % 2; p + p; *g; }",
        expect![[r#"
            wrong-operands: `+` does not take `struct s` and an integer [x + 1]
            wrong-operands: `*` does not take a pointer and an integer [p * 2]
            wrong-operands: `-` does not take a pointer [-p]
            wrong-operands: `struct s` is neither true nor false [x]
            wrong-operands: `!` does not take `struct s` [!x]
            wrong-operands: `%` does not take a floating number and an integer [1.5 % 2]
            wrong-operands: `+` does not take a pointer and a pointer [p + p]
            wrong-operands: `*` does not take an integer [*g]
        "#]],
    );
}

#[test]
fn conversions_must_exist() {
    check_findings(
        "void t(struct s x, int *p, double d) { g = x; x = g; d = p; p = d; struct { int n; } y; x = y; }",
        expect![[r#"
            incompatible-types: cannot convert `struct s` to an integer [x]
            incompatible-types: cannot convert an integer to `struct s` [g]
            incompatible-types: cannot convert a pointer to a floating number [p]
            incompatible-types: cannot convert a floating number to a pointer [d]
            incompatible-types: cannot convert `struct <anonymous>` to `struct s` [y]
        "#]],
    );
}

#[test]
fn arguments_are_counted() {
    check_findings(
        "void t(void) { f(); f(1, 2); print(); old(); g(); }",
        expect![[r#"
            too-few-arguments: too few arguments: `f` takes 1, here are 0 [f()]
            too-many-arguments: too many arguments: `f` takes 1, here are 2 [f(1, 2)]
            too-few-arguments: too few arguments: `print` takes 1, here are 0 [print()]
            not-callable: an integer cannot be called [g]
        "#]],
    );
}

#[test]
fn void_has_no_value() {
    check_findings(
        "void t(void) { g = t(); f(t()); }",
        expect![[r#"
        void-value: a void value is used [t()]
        void-value: a void value is used [t()]
    "#]],
    );
}

#[test]
fn unknown_builtins_are_guessed() {
    check_findings(
        "void t(int a) { __builtin_frobnicate(a); }",
        expect![[r#"
            unknown-builtin: `__builtin_frobnicate` is not known here; it is taken for a function that returns anything [__builtin_frobnicate(a)]
        "#]],
    );
}

#[test]
fn implicit_functions_are_declared() {
    check_findings(
        "void t(int a) { unknown(a); g = unknown(1, 2); }",
        expect![[r#"
        implicit-function: `unknown` is called before it is declared [unknown]
    "#]],
    );
}

#[test]
fn casts_of_vectors_keep_the_bytes() {
    check(
        "typedef int v2 __attribute__((vector_size(8))); void t(v2 a, long l) { l = (long)a; a = (v2)l; }",
        expect![[r#"
            bytes = a;
            memcpy((void *)&bytes_1, (const void *)&bytes, 8UL);
            l = bytes_1;
            bytes_2 = l;
            memcpy((void *)&bytes_3, (const void *)&bytes_2, 8UL);
            a = bytes_3;
        "#]],
    );
}

#[test]
fn unknown_results_are_anything_of_the_wanted_type() {
    check(
        "typedef int v2 __attribute__((vector_size(8))); void t(v2 a, int i) { a = (v2)__builtin_ia32_mix(a, i); i = __builtin_ia32_min(i); }",
        expect![[r#"
            __builtin_ia32_mix_ = __builtin_ia32_mix(a, i);
            a = __builtin_ia32_mix__1;
            __builtin_ia32_min_ = __builtin_ia32_min(i);
            i = __builtin_ia32_min_;
        "#]],
    );
}

#[test]
fn static_initialisers_are_folded() {
    check(
        r#"void t(void) { static int a = sizeof(int) * 2 > 7 ? 'x' : 1 / 0, b = "text"[1], *p = &g + 1; static long o = (long)&((struct s *)0)->q; f(a + b + *p + o); }"#,
        expect![[r#"
            f((int)((long)(a + b + *p) + o));
        "#]],
    );
    check_findings(
        "void t(int n) { static int a = n; static int b = f(1); static int *p = &n; }",
        expect![[r#"
        not-constant: what initialises a static object must be constant [n]
        not-constant: what initialises a static object must be constant [f(1)]
        not-constant: what initialises a static object must be constant [&n]
    "#]],
    );
}

#[test]
fn several_unknown_builtins_are_one_warning() {
    check_findings(
        "void t(int a) { __builtin_b(a); __builtin_a(a); __builtin_b(1); }",
        expect![[r#"
        unknown-builtin: `__builtin_b` is not known here, nor is one more; it is taken for a function that returns anything [__builtin_b(a)]
    "#]],
    );
}

#[test]
fn the_size_of_what_is_not_an_array_is_anything() {
    check(
        "void t(char *s, int i) { unsigned long n = __builtin_object_size(s + i++, 2); }",
        expect![[r#"
            __builtin_object_size_ = __builtin_object_size((const void *)0, 2);
            n = __builtin_object_size_;
        "#]],
    );
}
