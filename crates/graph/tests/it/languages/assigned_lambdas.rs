//! What a lambda takes that is put into a field, a property or an event follows from what that is declared to be.

use crate::support::check_some;

#[test]
fn a_lambda_that_is_put_into_a_declared_place_takes_what_the_place_says() {
    check_some(
        "
//- /J.java
class Job { void go() {} }
interface Handler { void on(Job j); }
class User {
  Handler h;
  void bare() { h = j -> j.go(); }
  void own() { this.h = (j) -> { j.go(); }; }
  void other(User u) { u.h = j -> j.go(); }
}
",
        &["User.bare -> Job.go", "User.own -> Job.go", "User.other -> Job.go"],
        &[],
    );
    check_some(
        "
//- /J.cs
using System;
public class Job { public void Go() {} }
public delegate void Taken(object sender, Job j);
public class User {
  Action<Job> f;
  public Action<Job> P { get; set; }
  public event Action<Job> Ev;
  public event Taken Eh;
  void Bare() { f = j => j.Go(); }
  void Property(User u) { u.P = j => j.Go(); }
  void Event() { Ev += j => j.Go(); }
  void Named() { Eh += (s, j) => j.Go(); }
  User Made() { return new User { P = j => j.Go() }; }
}
",
        &[
            "User.Bare -> Job.Go",
            "User.Property -> Job.Go",
            "User.Event -> Job.Go",
            "User.Named -> Job.Go",
            "User.Made -> Job.Go",
        ],
        &[],
    );
    check_some(
        "
//- /j.kt
class Job { fun go() {} }
class User {
  var f: (Job) -> Unit = {}
  fun own() { f = { j -> j.go() } }
  fun other(u: User) { u.f = { it.go() } }
}
",
        &["User.own -> Job.go", "User.other -> Job.go"],
        &[],
    );
    check_some(
        "
//- /src/lib.rs
pub struct Job;
impl Job { pub fn go(&self) {} }
pub struct User { cb: fn(&Job) }
fn set(u: &mut User) { u.cb = |j| j.go(); }
fn made() -> User { User { cb: |j| j.go() } }
",
        &["lib::set -> lib::Job::go", "lib::made -> lib::Job::go"],
        &[],
    );
}
