//! Lua: modules as tables, methods, metatables, annotations, globals.

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, LookupTarget, NameLookup, NodeKind};

use crate::support::{check, edges, graph_of};

#[test]
fn modules_are_tables_that_files_return() {
    check(
        r#"
//- /lua/shop/init.lua
local M = {}
local till = require("shop.till")
local ok, log = pcall(require, "shop.log")

function M.buy(item)
  till.add(item)
  return M.total() + log.write(item) + missing.total()
end

M.total = function()
  return till.sum()
end

local function helper() end

function M.setup(opts)
  helper()
  M.list[1] = opts
  M.nested.deep()
end

M.nested = { deep = function() return helper() end }

return M
//- /lua/shop/till.lua
local function sum() return 0 end
return { add = function(item) return sum() end, sum = sum }
//- /lua/shop/log.lua
local M = {}
function M.write(x) end
return M
//- /plugin/shop.lua
require "shop".setup {}
local shop = require 'shop'
shop.buy(1)
shop.none()
//- /other/log.lua
return { write = function() end }
"#,
        &[
            "plugin.shop -> shop.buy ~",
            "plugin.shop -> shop.setup ~",
            "shop.buy -> shop.log.write ~",
            "shop.buy -> shop.till.add ~",
            "shop.buy -> shop.total ~",
            "shop.nested.deep -> shop.helper",
            "shop.setup -> shop.helper",
            "shop.setup -> shop.nested.deep ~",
            "shop.till.add -> shop.till.sum",
            "shop.total -> shop.till.sum ~",
        ],
    );
}

#[test]
fn metatables_make_classes_and_objects() {
    check(
        r#"
//- /animal.lua
local Animal = {}
Animal.__index = Animal

function Animal.new(name)
  local self = setmetatable({ legs = require("legs").new() }, Animal)
  self.voice = require("voice")()
  self:greet()
  return self
end

function Animal:greet()
  self.legs:run()
  self.voice:speak()
  return self:name()
end

function Animal.name(self) return self.none() end

return Animal
//- /legs.lua
local Legs = { count = 4 }
Legs.__index = Legs
function Legs.new() return setmetatable({}, Legs) end
function Legs:run() return self.count end
return Legs
//- /voice.lua
local Voice = setmetatable({}, { __call = function(cls) return setmetatable({}, cls) end, __mode = "k" })
Voice.__index = Voice
function Voice:speak() end
return Voice
//- /dog.lua
local Animal = require("animal")
local Dog = setmetatable({}, { __index = Animal })
Dog.__index = Dog
function Dog.make()
  local dog = Animal.new("dog")
  return setmetatable(dog, Dog)
end
function Dog:greet()
  Animal.greet(self)
  self:bark()
  self:name()
end
function Dog:bark() end
local d = Dog.make()
d:bark()
d:name()
return Dog
"#,
        &[
            "animal.greet -> animal.name",
            "animal.greet -> legs.run ~",
            "animal.new -> animal.greet ~",
            "animal.new -> legs.new ~",
            "dog -> animal.name ~",
            "dog -> dog.bark ~",
            "dog -> dog.make ~",
            "dog.greet -> animal.greet ~",
            "dog.greet -> animal.name",
            "dog.greet -> dog.bark",
            "dog.make -> animal.new ~",
        ],
    );
}

#[test]
fn classes_of_libraries_stay_apart() {
    check(
        r#"
//- /a.lua
local class = require("outside.class")
local Base = class("Base")
function Base:run() return self:step() end
function Base:step() end
local One = Base:extend()
function One:step() end
function One:go() self:run() self:step() end
local Two = class("Two", Base)
function Two:step() end
function Two:go() self:run() self:step() end
return One
"#,
        &[
            "a.Base.run -> a.Base.step",
            "a.Two.go -> a.Base.run",
            "a.Two.go -> a.Two.step",
            "a.go -> a.Base.run",
            "a.go -> a.step",
        ],
    );
    let graph = graph_of(
        "//- /a.lua\nlocal One = class('One')\nfunction One:go() end\nlocal Two = class('Two')\nfunction Two:go() end\nOne:go()\n",
    );
    let one = graph.nodes().find(|node| node.name == "go" && node.start == 2).unwrap();
    let edges: Vec<_> = graph.edges().filter(|edge| edge.kind == EdgeKind::Calls).collect();
    assert_eq!(edges.len(), 1);
    assert_eq!(graph.node(edges[0].to).unwrap().start, one.start);
}

#[test]
fn comments_declare_types() {
    check(
        r#"
//- /view.lua
local M = {}
---@class ui.View : ui.Widget
---@field win ui.Window
---@field private rows ui.Row[]
local View = {}

---@param opts {a: string}
---@return ui.View
function View.new(opts) return make(opts) end

function View:show()
  self.win:open()
  self:draw()
  for _, row in ipairs(self.rows) do row:paint() end
end

---@type table<string, ui.View>
M.views = {}

---@param view? ui.View
---@param at integer
function M.show(view, at)
  view:show()
  View.new():show()
  M.views[at]:show()
end
return M
//- /types.lua
---@class ui.Widget
local Widget = {}
function Widget:draw() end

---@class ui.Row
---@field paint fun()

---@class ui.Window
local Window = {}
function Window:open() end
"#,
        &[
            "view.View.show -> types.Widget.draw",
            "view.View.show -> types.Window.open",
            "view.show -> view.View.new",
            "view.show -> view.View.show",
            "view.show -> view.View.show ~",
        ],
    );
    let graph = graph_of(
        "//- /a.lua\n--- Counts.\n---@param n integer\n---@return integer\nlocal function count(n) return n end\n",
    );
    let count = graph.nodes().find(|node| node.name == "count").unwrap();
    assert_eq!((count.doc.as_str(), count.start), ("Counts.", 4));
}

#[test]
fn names_are_looked_up_in_their_scopes() {
    check(
        r#"
//- /a.lua
local first
function run() return first() end
first = function() return run() end
local x = { f = function() end }
do
  local x = { f = function() end, x = x }
  x.f()
end
x.f()
function shared() end
local function twice() return twice() end
for i = 1, 2 do local function twice() end twice() end
unknown()
local function later()
  local f, g
  local function use() return f() end
  function f() return g end
  g = require("b")
  local function changed(x)
    local old = x
    x = function() return old() end
    return x()
  end
end
string.format("x"):rep(2)
print(twice)
//- /b.lua
run()
shared()
function shared_twice() end
//- /c.lua
function shared_twice() end
//- /d.lua
shared_twice()
"#,
        &[
            "a -> a.f ~",
            "a -> a.twice",
            "a -> a.x.f ~",
            "a.first -> a.run",
            "a.later.changed -> a.later.changed.x",
            "a.later.use -> a.later.f",
            "a.run -> a.first",
            "a.twice -> a.twice",
            "b -> a.run",
            "b -> a.shared",
        ],
    );
}

#[test]
fn rockspecs_and_folders_say_where_modules_are() {
    check(
        r#"
//- /thing-1.rockspec
package = "thing"
build = { type = "builtin", modules = { thing = "code/main.lua", ["thing.part"] = "code/the_part.lua" } }
//- /code/main.lua
local part = require("thing.part")
local M = {}
function M.go() part.go() require(... .. ".near").go() end
return M
//- /code/the_part.lua
return { go = function() end }
//- /code/near.lua
return { go = function() end }
//- /spec/thing_spec.lua
local thing = require "thing"
local far = require "far"
thing.go()
far.go()
//- /one/src/far.lua
return { go = function() end }
//- /two/src/far.lua
return { go = function() end }
"#,
        &[
            "code.main.go -> code.near.go",
            "code.main.go -> code.the_part.go ~",
            "spec.thing_spec -> code.main.go ~",
        ],
    );
}

#[test]
fn twelve_copies_have_twelve_times_the_edges() {
    let one = |at: usize| {
        format!(
            "//- /p{at}/lua/m{at}/init.lua\nlocal M = {{}}\nlocal till = require('m{at}.till')\nM.__index = M\n\
             function M.new() return setmetatable({{ till = till.new() }}, M) end\n\
             function M:go() self.till:add() return M.new():go() end\nfunction g{at}() M.new() end\ng{at}()\nreturn M\n\
             //- /p{at}/lua/m{at}/till.lua\nlocal T = {{}}\nT.__index = T\nfunction T.new() return setmetatable({{}}, T) end\n\
             function T:add() self.sum() end\nfunction T.sum() end\nreturn T\n"
        )
    };
    let single = edges(&graph_of(&one(0)), EdgeKind::Calls).len();
    let all = graph_of(&(0..12).map(one).collect::<String>());
    assert_eq!(edges(&all, EdgeKind::Calls).len(), 12 * single);
    assert!(single >= 7, "{single}");
    assert!(all.nodes().filter(|node| node.kind == NodeKind::Function).count() > 60);
}

#[test]
fn the_table_that_a_file_gives_back_is_named_like_the_file() {
    let graph = graph_of(
        "//- /panel.lua\nlocal Panel, Point = {}, {}\nfunction Panel:new() end\nfunction Point:new() end\nreturn Panel\n",
    );
    for (name, qname) in [("Panel.new", "panel.new"), ("Point.new", "panel.Point.new")] {
        let found = graph.lookup_all(LookupTarget { name, ..LookupTarget::default() });
        let NameLookup::One(id) = found else { panic!("{name}: {found:?}") };
        assert_eq!(graph.node(id).unwrap().qname, qname);
    }
}

/// What a file gives back is its module; other tables have names of their own.
#[test]
fn the_tables_of_a_file_are_told_apart() {
    check(
        r#"
//- /touch.lua
local Point = {}
local Panel = Widget:extend{ level = 1 }
function Point:new(o)
  o = o or {}
  setmetatable(o, { __index = self })
  if o.init then o:init() end
  return o
end
function Point:go() self:step() end
function Point:step() end
function Panel:new(o) self:go() end
Panel.go = function(self) Point:new{}:go() end
function Panel:press() return Point:new{ x = 1 } end
function Panel.parts.draw() return Point:new{} end
Shared = {}
function Shared.run() Panel:new{} end
function Shared.make()
  local made = {}
  function made.go() end
  return made
end
return Panel
//- /merged.lua
local M = {}
function M.near() end
function M.go() M.near() end
return extended("force", require("both"), M)
//- /both.lua
local One, Two = {}, {}
function One.go() end
function Two.go() One.go() end
return { One = One, Two = Two }
//- /use.lua
local both = require("both")
local Panel = require("touch")
both.One.go()
both.Two.go()
Panel:press()
Shared.run()
"#,
        &[
            "both.Two.go -> both.One.go ~",
            "merged.go -> merged.near ~",
            "touch.Point.go -> touch.Point.step",
            "touch.Shared.run -> touch.new ~",
            "touch.go -> touch.Point.go ~",
            "touch.go -> touch.Point.new ~",
            "touch.new -> touch.go",
            "touch.parts.draw -> touch.Point.new ~",
            "touch.press -> touch.Point.new ~",
            "use -> both.One.go ~",
            "use -> both.Two.go ~",
            "use -> touch.Shared.run ~",
            "use -> touch.press ~",
        ],
    );
}
