//! Names that imports give: from outside of the repository, under another name, or by exports.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::{ask, names};

#[test]
fn a_module_that_is_named_in_full_is_no_folder_of_its_last_name() {
    let source = "\
//- /go.mod
module acme.org/shop
//- /http/serve.go
package http
func Serve() {}
//- /vendor/acme.org/log/log.go
package log
func Write() {}
//- /main.go
package shop
import (
\t\"acme.org/log\"
\t\"net/http\"
)
func run() { http.ListenAndServe(); log.Missing() }
";
    let cases = [
        ("ListenAndServe", "which is imported from net/http, outside of the repository"),
        ("Missing", "which has no known definition here"),
    ];
    for (name, wanted) in cases {
        let asked = ask(source, &json!({"operation": "callers", "target": name}));
        assert!(asked.text.contains(wanted), "{name}: {}", asked.text);
    }
}

#[test]
fn what_several_modules_may_bring_has_no_origin() {
    let source = "\
//- /src/one.py
from first import *
def run():
    go()
//- /src/several.py
from first import *
from second import *
def walk():
    go()
";
    let asked = ask(source, &json!({"operation": "callees", "target": "run"}));
    assert!(asked.text.contains("go from first"), "{}", asked.text);
    let asked = ask(source, &json!({"operation": "callees", "target": "walk"}));
    assert!(asked.text.contains("not resolved: go"), "{}", asked.text);
    assert!(!asked.text.contains("go from"), "{}", asked.text);
}

#[test]
fn what_is_imported_from_outside_is_said_to_be_and_has_its_uses() {
    let source = "\
//- /src/client.py
import requests
from requests import Session

class Client(Session):
    def fetch(self, url):
        return requests.get(url)

def ping(url):
    return requests.get(url).status_code
//- /src/server.mjs
import express from 'express';
export function start() {
  return express.Router();
}
//- /lib/plain.js
const http = require('http');
const { EventEmitter: Emitter } = require('events');
const mix = require('mix-in');
class Bus extends Emitter {}
function listen(app) {
  mix(app, new Emitter());
  return http.createServer(app);
}
//- /src/worker.py
from threading import Thread
import sqlite3

def launch(path):
    database = sqlite3.Connection(path)
    database.execute(path)
    return Thread(target=print)

def again(request: Session):
    Session = request.Session
    return Session.close()
";
    let cases = [
        ("inheritors", "requests.Session", vec!["client.Client"], "imported from requests"),
        ("callers", "requests.get", vec!["client.Client.fetch", "client.ping"], "2 call"),
        ("callers", "express.Router", vec!["src/server.start"], "imported from express"),
        ("callers", "requests.Session", vec![], "see src/client.py:4"),
        ("callers", "requests.post", vec![], "no definition is named"),
        ("callers", "http.createServer", vec!["lib/plain.listen"], "imported from http"),
        ("callers", "events.EventEmitter", vec!["lib/plain.listen"], "imported from events"),
        ("inheritors", "EventEmitter", vec!["lib/plain.Bus"], "imported from events"),
        ("callers", "mix", vec!["lib/plain.listen"], "imported from mix-in"),
        ("callers", "threading.Thread", vec!["worker.launch"], "imported from threading"),
        (
            "callees",
            "worker.launch",
            vec![],
            "from outside the repository: Connection from sqlite3, Thread from threading, execute of sqlite3.Connection",
        ),
        (
            "callees",
            "lib/plain.listen",
            vec![],
            "Emitter from events, createServer from http, mix from mix-in",
        ),
        // The type of the parameter has the name that is bound to its member.
        ("callees", "worker.again", vec![], "close"),
    ];
    for (operation, target, users, said) in cases {
        let asked = ask(source, &json!({"operation": operation, "target": target}));
        assert_eq!(names(&asked), users, "{operation} {target}: {}", asked.text);
        assert!(asked.text.contains(said), "{operation} {target}: {}", asked.text);
    }
}

#[test]
fn a_bare_name_means_no_field_where_a_field_has_to_be_named_with_its_object() {
    let source = "\
//- /src/lib.rs
use far::*;
pub struct Held { reopen: u32 }
impl Held { pub fn again(&self) { reopen(); } }
//- /app/job.py
from httpx import HttpClient
from clients import *
class Job:
    client: HttpClient
    def start(self):
        client.load()
";
    let cases = [("again", "reopen from far"), ("start", "load from clients")];
    for (target, said) in cases {
        let asked = ask(source, &json!({"operation": "callees", "target": target}));
        assert!(asked.text.contains(said), "{target}: {}", asked.text);
    }
}

#[test]
fn a_glob_of_an_own_enum_brings_no_other_names() {
    let source = "\
//- /src/lib.rs
use self::Outcome::*;
use tools::prelude::*;
pub enum Outcome { Done(u32), Failed }
pub fn judge(x: u32) -> Option<Outcome> {
    if x > 1 { return Some(Done(x)); }
    Some(Failed)
}
";
    let asked = ask(source, &json!({"operation": "callees", "target": "judge"}));
    assert!(asked.text.contains("Some from tools.prelude"), "{}", asked.text);
    assert!(!asked.text.contains("self"), "{}", asked.text);
}

#[test]
fn a_name_of_two_outside_packages_is_answered_for_one_of_them() {
    let source = "\
//- /a.py
from first import load

def one():
    load()
//- /b.py
from second import load

def two():
    load()
";
    let asked = ask(source, &json!({"operation": "callers", "target": "load"}));
    assert_eq!(names(&asked), ["a.one"], "{}", asked.text);
    assert!(asked.text.contains("load is also imported from second: ask for second.load"));
    let asked = ask(source, &json!({"operation": "callers", "target": "second.load"}));
    assert_eq!(names(&asked), ["b.two"], "{}", asked.text);
}

#[test]
fn a_name_that_an_import_gives_means_only_what_is_defined_here_under_another() {
    let source = "\
//- /src/widget.ts
export class Foo { draw() {} }
export function start() { stop() }
export function stop() {}
//- /src/page.tsx
import { Foo as Bar } from 'react'
import { start as run } from './widget'
export function page() { run(); return new Bar() }
//- /src/other.ts
import { start as begin } from './widget'
export function run() {}
export function go() { begin() }
";
    let cases = [
        (json!({"operation": "callers", "target": "begin"}), "files import it as begin"),
        (json!({"operation": "callers", "target": "Bar"}), "imported from react"),
        (json!({"operation": "methods", "target": "Bar"}), "no definition is named"),
        (json!({"operation": "trace", "target": "run", "to": "stop"}), "no way from"),
        (json!({"operation": "search", "target": "begin"}), "no definitions whose names"),
    ];
    for (question, said) in cases {
        let asked = ask(source, &question);
        assert!(asked.text.contains(said), "{question}: {}", asked.text);
    }
}

#[test]
fn only_an_import_of_the_name_itself_says_that_it_is_from_outside() {
    let source = "\
//- /src/a.cc
#include <cstring>
#include \"own.h\"
int run(int n) { return hash_of(n); }
//- /src/own.h
#pragma once
//- /src/view.swift
import Drawing
struct One: View {}
//- /src/lib.rs
pub use ropey::Rope;
pub mod edit;
//- /src/edit.rs
use crate::Rope;
pub fn edit(text: &Rope) {}
//- /src/Log.java
package own.log;
import other.logging.Level;
class Log { Level level; }
//- /src/Net.cs
using Far.Net;
class Net {
    Client own; Client Other { get; }
    void ByField() { own.Send(1); }
    void ByThis() { this.own.Send(1); }
    void ByProperty() { Other.Send(1); }
    void ByParameter(Client own) { own.Send(1); }
    void OfOther(Unknown own) { own.Send(1); }
    class Inner { void OfInner() { this.own.Send(1); } }
}
//- /src/net.rs
use far::Line;
pub struct Net { line: Line }
impl Net { fn by_field(&self) { self.line.send_line(1); } }
";
    let cases = [
        (
            "callers",
            "Client.Send",
            vec!["ByField", "ByThis", "ByProperty", "ByParameter"],
            "which has no known definition here",
        ),
        ("callers", "Line.send_line", vec!["by_field"], "imported from far, outside"),
        (
            "callers",
            "hash_of",
            vec!["run"],
            "1 caller of hash_of, which has no known definition here",
        ),
        ("implementations", "View", vec!["One"], "which has no known definition here"),
        ("usages", "Rope", vec!["edit::edit"], "which has no known definition here"),
        ("usages", "Level", vec!["own.log.Log.level"], "imported from other.logging, outside"),
    ];
    for (operation, target, wanted, said) in cases {
        let asked = ask(source, &json!({"operation": operation, "target": target}));
        let found = names(&asked);
        assert!(
            found.iter().zip(&wanted).all(|(found, wanted)| found.ends_with(wanted))
                && found.len() == wanted.len(),
            "{operation} {target}: {}",
            asked.text
        );
        assert!(asked.text.contains(said), "{operation} {target}: {}", asked.text);
    }
}

#[test]
fn a_name_that_only_an_export_gives_is_that_of_its_definition() {
    let source = "\
//- /src/core.ts
export function callProcedure(x: number) { return x }
export const flat = (x: number) => x
function inner() { return 1 }
export { inner as outer }
//- /src/index.ts
export { callProcedure as callPublic, flat as createFlat } from './core'
//- /src/second.ts
export { createFlat as oldFlat } from './index'
//- /src/user.ts
import { callPublic } from './index'
import { oldFlat } from './second'
import { outer } from './core'
export function useIt() { callPublic(1); outer(); return oldFlat(2) }
";
    for target in ["callPublic", "createFlat", "oldFlat", "outer"] {
        let asked = ask(source, &json!({"operation": "callers", "target": target}));
        assert_eq!(names(&asked), ["src/user.useIt"], "{target}: {}", asked.text);
        assert!(asked.text.contains(&format!("files import it as {target}")), "{}", asked.text);
        let way = json!({"operation": "trace", "target": "useIt", "to": target});
        let asked = ask(source, &way);
        assert!(asked.text.starts_with("1 step from src/user.useIt"), "{target}: {}", asked.text);
    }
}

#[test]
fn an_unknown_name_that_the_text_has_is_said_to_be_there() {
    let source = "\
//- /src/events.rs
events! { DidChange { doc: u32 } }
pub fn plain() {}
//- /src/docs.md
DidChange is an event.
";
    let asked = ask(source, &json!({"operation": "methods", "target": "DidChange"}));
    let said = "the text has DidChange in 2 files, for example src/events.rs:1";
    assert!(asked.text.contains(said), "{}", asked.text);
    let asked = ask(source, &json!({"operation": "methods", "target": "NeverSeen"}));
    assert!(!asked.text.contains("the text has"), "{}", asked.text);
}

#[test]
fn interfaces_of_the_library_are_implemented_by_methods_alone() {
    let source = "\
//- /go.mod
module shop
//- /web/web.go
package web

import \"net/http\"

type Page struct{}

func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {}

type Other struct{}

func (o Other) ServeHTTP(w http.ResponseWriter) {}

type Named struct{ http.Handler }

func wrap(next http.Handler) http.Handler { return next }
//- /web/pipe.go
package web

type Log struct{}

func (l *Log) Write(p []byte) (n int, err error) { return 0, nil }

type Pipe struct{}

func (p Pipe) Read(b []byte) (int, error) { return 0, nil }
func (p Pipe) Close() error               { return nil }

type Door struct{}

func (d Door) Close(hard bool) error { return nil }
func Write(p []byte) (n int, err error) { return 0, nil }
";
    let cases: [(&str, &[&str]); 5] = [
        ("http.Handler", &["shop/web.Page.ServeHTTP", "shop/web.Named"]),
        ("io.Writer", &["shop/web.Log.Write"]),
        ("io.ReadCloser", &["shop/web.Pipe.Read"]),
        ("io.Closer", &["shop/web.Pipe.Close"]),
        ("fmt.Stringer", &[]),
    ];
    for (target, expected) in cases {
        let asked = ask(source, &json!({"operation": "implementations", "target": target}));
        assert_eq!(names(&asked), expected, "{target}: {}", asked.text);
    }
    let asked = ask(source, &json!({"operation": "callers", "target": "http.Handler"}));
    assert_eq!(names(&asked), [""; 0], "{}", asked.text);
}
