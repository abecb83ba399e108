//! What generic types give back: type parameters that a method's receiver or a comment names.

use crate::support::{check_cases, check_some};

/// A store of generic types, and the types that are put into it.
const STORE: &str = "
//- /go.mod
module m
//- /store/store.go
package store
type Store[K comparable, T any] struct { data map[K]T }
func New[K comparable, T any](data map[K]T) *Store[K, T] { return &Store[K, T]{data: data} }
func (s *Store[K, T]) Get(k K) T { return s.data[k] }
func (s *Store[Key, _]) Keys() []Key { return nil }
func (s *Store[K, T]) Or(k K, make func(old T) T) T { return make(s.Get(k)) }
func (s Store[K, T]) First() (T, bool) { var zero T; return zero, false }
type One[T any] struct { v T }
func (o *One[V]) Value() V { return o.v }
type Named[T any] struct { *Store[string, T] }
type Runner interface { Run() }
type Bound[T Runner] struct { v T }
func (b *Bound[R]) Start() { b.v.Run() }
func (b *Bound[R]) Each(all []R) { for _, one := range all { one.Run() } }
//- /main.go
package main
import \"m/store\"
type Limiter struct { n int }
func (l *Limiter) Allow() bool { return true }
func (l Limiter) Reset() {}
type Other struct { n int }
func (o *Other) Allow() bool { return false }
type local[T any] struct { v T }
func (s *local[T]) get() T { return s.v }
type App struct { limits *store.Store[string, *Limiter] }
";

#[test]
fn methods_of_generic_types_give_back_what_the_type_holds() {
    // A body, and the function that it calls; `Other.Allow` is never meant.
    let cases = [
        ("f(s *store.Store[string, *Limiter])", "s.Get(\"\").Allow()", "Limiter.Allow"),
        ("f(s *store.Store[string, Limiter])", "x := s.Get(\"\"); x.Allow()", "Limiter.Allow"),
        ("f(s store.Store[string, *Limiter])", "x, _ := s.First(); x.Allow()", "Limiter.Allow"),
        ("f(s *store.One[Limiter])", "s.Value().Reset()", "Limiter.Reset"),
        ("f(s *store.Named[*Limiter])", "s.Get(\"\").Allow()", "Limiter.Allow"),
        (
            "f(s *store.Store[Limiter, int])",
            "for _, k := range s.Keys() { k.Reset() }",
            "Limiter.Reset",
        ),
        ("f(s *local[*Limiter])", "s.get().Allow()", "Limiter.Allow"),
        ("f(s *local[*local[*Limiter]])", "s.get().get().Allow()", "Limiter.Allow"),
        ("f(a *App)", "a.limits.Get(\"\").Allow()", "Limiter.Allow"),
        ("f()", "store.New[string, *Limiter](nil).Get(\"\").Allow()", "Limiter.Allow"),
        ("f()", "store.New(map[string]*Limiter{}).Get(\"\").Allow()", "Limiter.Allow"),
        (
            "f(s *store.Store[string, *Limiter])",
            "s.Or(\"\", func(old *Limiter) *Limiter { return old }).Allow()",
            "Limiter.Allow",
        ),
    ];
    let cases = cases.map(|(head, body, called)| {
        (format!("func {head} {{ {body} }}"), format!("m.f -> m.{called}"))
    });
    let cases = cases
        .each_ref()
        .map(|(case, called)| (case.as_str(), (called.as_str(), "m.f -> m.Other.Allow")));
    check_cases(STORE, &cases);
}

#[test]
fn a_type_parameter_of_a_receiver_is_bound_as_that_of_its_type() {
    let calls = ["Start", "Each"].map(|from| format!("m/store.Bound.{from} -> m/store.Runner.Run"));
    check_some(STORE, &calls.each_ref().map(String::as_str), &[]);
}
