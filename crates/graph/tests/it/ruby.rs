//! The code graph of Ruby: constants, both sides of a class, mixins, and receivers that nobody knows.

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, Graph, LookupTarget, NameLookup, NodeKind};

use crate::support::{check, edges, graph_of};

#[test]
fn constants_are_found_by_nesting_ancestors_and_reopening() {
    check(
        r#"
//- /lib/acme.rb
require "acme/shape"
module Acme
  class Helper
    def self.of = new
    def twice(x); x * 2; end
  end
  def self.start
    Shape.make.twice
    Core::Deep.run
    Missing.of
  end
end
//- /lib/acme/shape.rb
module Acme
  class Shape
    def initialize(helper = Helper.new)
      @helper = helper
    end
    def self.make(*args)
      new(*args)
    end
    def twice
      @helper.twice(area)
    end
  end
  module Core
    class Deep < Shape
      def self.run
        Helper.of.twice(1)
        make.area
      end
    end
  end
end
//- /lib/acme/area.rb
class Acme::Shape
  def area
    helper = ::Acme::Helper.new
    helper.twice(2)
    own
    puts own
  end
  private
  def own = 1
end
def own; end
def loose; own; end
loose
"#,
        &[
            "Acme::Core::Deep::run -> Acme::Helper::of",
            "Acme::Core::Deep::run -> Acme::Helper::twice ~",
            "Acme::Core::Deep::run -> Acme::Shape::area ~",
            "Acme::Core::Deep::run -> Acme::Shape::make",
            "Acme::Helper::of -> Acme::Helper ~",
            "Acme::Shape::area -> Acme::Helper",
            "Acme::Shape::area -> Acme::Helper::twice ~",
            "Acme::Shape::area -> Acme::Shape::own",
            "Acme::Shape::initialize -> Acme::Helper",
            "Acme::Shape::make -> Acme::Shape ~",
            "Acme::Shape::twice -> Acme::Helper::twice ~",
            "Acme::Shape::twice -> Acme::Shape::area",
            "Acme::start -> Acme::Core::Deep::run",
            "Acme::start -> Acme::Shape::make",
            "Acme::start -> Acme::Shape::twice ~",
            "lib/acme/area.rb -> loose",
            "loose -> own",
        ],
    );
}

#[test]
fn mixins_accessors_and_super_follow_the_order_of_ancestors() {
    let project = r#"
//- /a.rb
module Loud
  def self.included(base); base.extend(ClassMethods); end
  module ClassMethods
    def build; new; end
  end
  def speak; super; shout; end
  def shout; end
end
module Finders
  def find(id); new; end
end
module Tools
  extend self
  def hammer; nail; end
  def nail; end
end
class Base
  def speak; end
  def shout; end
  class << self
    def create; new.speak; end
  end
end
class Dog < Base
  include Loud
  extend Finders
  attr_reader :tail
  attr_accessor :owner
  delegate :wag, to: :tail
  alias bark speak
  before_save :prepare
  Limit = Struct.new(:max) do
    def over?; max; end
  end
  def initialize
    super()
    @tail = Tail.new
    self.owner = Owner.new
  end
  def speak
    super
    self.class.build
    tail.wag
    wag
    Limit.new(1).over?
    Tools.hammer
  end
  def prepare; end
end
class Tail
  def wag; end
end
class Owner
  def call; end
end
def main(dog, any)
  Dog.build.speak
  Dog.find(1).shout
  Dog.create
  any.speak
  Dog.shout
  Dog.speak
  case any
  when Dog then any.wag
  end
  any.owner if any.is_a?(Dog)
  dogs = [Dog.new]
  dogs.each { |d| d.bark }
  dog = nil
  dog.speak
rescue Missing => e
  e.speak
end
"#;
    check(
        project,
        &[
            "Base::create -> Base ~",
            "Base::create -> Base::speak ~",
            "Dog::Limit::over? -> Dog::Limit::max",
            "Dog::bark -> Dog::speak",
            "Dog::initialize -> Dog::owner=",
            "Dog::initialize -> Owner",
            "Dog::initialize -> Tail",
            "Dog::speak -> Dog::Limit",
            "Dog::speak -> Dog::Limit::over? ~",
            "Dog::speak -> Dog::tail",
            "Dog::speak -> Dog::wag",
            "Dog::speak -> Loud::ClassMethods::build ~",
            "Dog::speak -> Loud::speak",
            "Dog::speak -> Tail::wag ~",
            "Dog::speak -> Tools::hammer",
            "Dog::wag -> Dog::tail",
            "Dog::wag -> Tail::wag ~",
            "Loud::speak -> Loud::shout",
            "Tools::hammer -> Tools::nail",
            "main -> Base::create",
            "main -> Dog",
            "main -> Dog::bark ~",
            "main -> Dog::owner",
            "main -> Dog::wag",
            "main -> Finders::find",
            "main -> Loud::ClassMethods::build",
        ],
    );
    assert_eq!(
        edges(&graph_of(project), EdgeKind::Implements),
        ["Dog -> Finders", "Dog -> Loud", "Dog::speak -> Loud::speak", "Tools -> Tools"]
    );
}

#[test]
fn definitions_have_kinds_signatures_and_docs() {
    let graph = graph_of(
        r#"
//- /lib/a/b.rb
# Keeps things.
module Store
  LIMIT = 10
  # Goes.
  def go(one, two = 2, *rest, key:) = 1
  def stop(now) # at once
    # or later
    now
  end
  class Item < Struct.new(:a)
    private def hidden; end
    protected
    def also; end
  end
end
//- /lib/a.rb
require_relative "a/b"
require "a/b"
"#,
    );
    let view: &Graph = &graph;
    let found = |name: &str| match view.lookup(LookupTarget { name, ..LookupTarget::default() }) {
        NameLookup::One(id) => graph.node(id).unwrap().clone(),
        other => panic!("{name}: {other:?}"),
    };
    let go = found("Store::go");
    assert_eq!(
        (go.signature.as_str(), go.doc.as_str(), go.is_method),
        ("def go(one, two = 2, *rest, key:)", "Goes.", true)
    );
    assert_eq!(found("stop").signature, "def stop(now)");
    assert_eq!(
        (found("Store").kind, found("Store").doc),
        (NodeKind::Module, "Keeps things.".into())
    );
    assert_eq!(found("LIMIT").kind, NodeKind::Field);
    assert_eq!((found("hidden").is_private, found("also").is_private), (true, true));
    assert_eq!(edges(&graph, EdgeKind::Imports), ["lib/a.rb -> lib/a/b.rb"]);
}
