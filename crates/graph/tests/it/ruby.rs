//! The code graph of Ruby: constants, both sides of a class, mixins, and receivers that nobody knows.

use pretty_assertions::assert_eq;
use retriever_graph::{Edge, EdgeKind, Graph, LookupTarget, NameLookup, NodeKind};

use crate::support::{check, check_cases, check_some, edges, graph_of};

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
fn classes_that_calls_make_have_the_members_that_these_name() {
    check_cases(
        "//- /lib/size.rb\n",
        &[
            (
                "Size = Data.define(:width) do
  def wide?; width; end
end",
                ("Size::wide? -> Size::width", ""),
            ),
            (
                "Size = ::Data.define(:width) { def wide?; width; end }
def make; Size.new(width: 1); end",
                ("make -> Size", ""),
            ),
            (
                "Size = Data.define(:width)\ndef make; Size.new(width: 1).width; end",
                ("make -> Size::width", ""),
            ),
            (
                "class Size < Struct.new(:width, :height)
  def wide?; width; end
end",
                ("Size::wide? -> Size::width", ""),
            ),
            (
                "class Size < Data.define(:width)
  def wide?; self.width = width; end
end",
                ("Size::wide? -> Size::width", "Size::wide? -> Size::width="),
            ),
            (
                "Size = Schema.define(:width)\ndef make; Size.new.width; end",
                ("", "make -> Size::width"),
            ),
        ],
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

#[test]
fn a_symbol_that_stands_for_a_block_calls_the_method_on_each_item() {
    check(
        "//- /lib/team.rb
class Cop
  def ready; self; end
  def name; end
end
class Team
  def initialize
    @cops = [Cop.new]
  end
  def run(any)
    @cops.each(&:ready)
    @cops.map(&:ready).each(&:name)
    any.each(&:name)
  end
end
",
        &["Team::initialize -> Cop", "Team::run -> Cop::name ~", "Team::run -> Cop::ready ~"],
    );
}

#[test]
fn methods_that_are_defined_for_each_item_of_a_list_have_names() {
    check(
        "//- /lib/force.rb
class Force
  KINDS = %i[open shut].freeze
  def hook(name); end
  %i[entering leaving].each do |event|
    define_method(event) { |arg| hook(arg) }
  end
  KINDS.each do |kind|
    define_method(\"on_#{kind}\") { hook(kind) }
  end
  names.each do |name|
    define_method(name) { hook(name) }
  end
  define_method('plain') { hook(1) }
  def use
    entering(1)
    on_shut
    plain
    missing
  end
end
",
        &[
            "Force::<name> -> Force::hook",
            "Force::entering -> Force::hook",
            "Force::leaving -> Force::hook",
            "Force::on_open -> Force::hook",
            "Force::on_shut -> Force::hook",
            "Force::plain -> Force::hook",
            "Force::use -> Force::entering",
            "Force::use -> Force::on_shut",
            "Force::use -> Force::plain",
        ],
    );
}

#[test]
fn of_methods_inside_one_another_the_outermost_are_defined_for_each_item() {
    let graph = graph_of(
        "//- /lib/force.rb
class Force
  %w[open shut].each do |one|
    define_method(\"#{one}_all\") do
      %w[left right].each { |two| define_method(\"#{two}_one\") { two } }
    end
  end
end
",
    );
    let methods = graph.nodes().filter(|node| node.kind == NodeKind::Function);
    let mut names: Vec<&str> = methods.map(|node| node.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["<#{two}_one>", "<#{two}_one>", "open_all", "shut_all"]);
}

#[test]
fn forwardable_methods_call_those_of_what_they_name() {
    check(
        "//- /lib/comments.rb
class Source
  def config; end
  def registry; end
end
class Comments
  extend Forwardable
  def_delegators :@source, :config, :registry
  def_delegator :@source, :config, :settings
  def_delegator :@source, :registry
  def initialize
    @source = Source.new
  end
  def use
    registry
    settings
  end
end
",
        &[
            "Comments::config -> Source::config ~",
            "Comments::initialize -> Source",
            "Comments::registry -> Source::registry ~",
            "Comments::settings -> Source::config ~",
            "Comments::use -> Comments::registry",
            "Comments::use -> Comments::settings",
        ],
    );
}

#[test]
fn examples_know_the_class_that_they_describe_and_the_values_that_are_named() {
    let project = "//- /lib/team.rb
class Team
  def self.mobilize(cops); new(cops); end
  def debug; end
  class Part; def size; end; end
end
//- /spec/team_spec.rb
";
    check_cases(
        project,
        &[
            (
                "RSpec.describe Team do
  subject(:team) { described_class.mobilize([]) }
  it('works') { expect(team.debug).to be(true) }
end",
                ("spec/team_spec.rb -> Team::debug", ""),
            ),
            (
                "describe Team::Part do
  let!(:part) { described_class.new }
  describe('#size') { it { part.size } }
end",
                ("spec/team_spec.rb -> Team::Part::size", ""),
            ),
            (
                "RSpec.describe Team do
  context 'inside' do
    subject { described_class.new }
    it { subject.debug }
  end
end",
                ("spec/team_spec.rb -> Team::debug", ""),
            ),
            (
                "RSpec.describe 'words' do
  it { described_class.mobilize([]) }
end",
                ("", "spec/team_spec.rb -> Team::mobilize"),
            ),
            // A method by a name of RSpec's.
            (
                "class Menu
  def feature(kind); Team.mobilize([]); end
  def use
    made = feature(Team) { 1 }
    made.debug
  end
end",
                ("Menu::use -> Team::debug", ""),
            ),
        ],
    );
}

#[test]
fn a_local_variable_that_a_branch_assigns_is_behind_it_what_it_was_as_well() {
    let project = |body: &str| {
        format!(
            "//- /lib/a.rb
class A; def go; end; end
class B; def go; end; end
class C; def go; end; end
class Gate
  def pass(off)
    one = A.new
    {body}
    one.go
  end
end
"
        )
    };
    let (old, new, other) = ("Gate::pass -> A::go", "Gate::pass -> B::go", "Gate::pass -> C::go");
    for (body, present, absent) in [
        ("if off\n one = B.new\n end", vec![old, new], vec![]),
        ("one = B.new unless off", vec![old, new], vec![]),
        ("one = B.new if off", vec![old, new], vec![]),
        ("if off\n one = B.new\n else\n one = C.new\n end", vec![new, other], vec![old]),
        ("unless off\n one = B.new\n else\n one = C.new\n end", vec![new, other], vec![old]),
        ("if off\n one = B.new\n else\n raise 'no'\n end", vec![new], vec![old]),
        ("if off\n one = B.new\n exit\n else\n one = C.new\n end", vec![other], vec![old, new]),
        ("if off\n one = B.new\n elsif one\n one = C.new\n end", vec![old, new, other], vec![]),
        (
            "if off\n one = B.new\n elsif one\n one = C.new\n else\n fail\n end",
            vec![new, other],
            vec![old],
        ),
        (
            "if off\n one = B.new\n elsif one\n puts 1\n else\n one = C.new\n end",
            vec![old, new, other],
            vec![],
        ),
        ("if off\n else\n one = B.new\n end", vec![old, new], vec![]),
        ("if (one = C.new)\n one = B.new if off\n end", vec![new, other], vec![old]),
        ("if off\n two = B.new\n else\n two = C.new\n end\n two.go", vec![old, new, other], vec![]),
        // In a block, a variable from around it.
        (
            "two = C.new\n [1].each do\n two = B.new if off\n two.go\n end",
            vec![old, new, other],
            vec![],
        ),
        (
            "two = C.new\n [1].each do\n if off\n two = B.new\n next\n end\n two.go\n end",
            vec![old, other],
            vec![new],
        ),
        // The value of the last statement of a branch.
        ("two = if off\n B.new\n elsif one\n C.new\n end\n two.go", vec![old, new, other], vec![]),
    ] {
        check_some(&project(body), &present, &absent);
    }
}

#[test]
fn a_heredoc_in_an_interpolation_of_a_heredoc_hides_nothing() {
    check_some(
        r##"
//- /a.rb
class Told
  describe <<~TEXT, 1
    It says
    #{
      shown('text', <<~TEXT)
        "of": "it #{1 + 1}"
      TEXT
    }
    and more <<~NOTHING
    #{ shown("a", <<-'OTHER') }
      b
    OTHER
  TEXT

  def run
    leaf
  end

  def leaf
  end
end
"##,
        &["Told::run -> Told::leaf"],
        &[],
    );
}

#[test]
fn what_frameworks_are_told_by_name_is_handed_over() {
    let project = r#"
//- /a.rb
class Send
  def perform(x); end
end
class Base
  def hello; end
end
class Kid
  validate :checked, unless: :skipped?
  validates :name, presence: true, if: :named?
  rescue_from Broken, with: :failed
  helper_method :shown
  delegate :hello, :bye, to: :other, prefix: true
  delegate :hello, to: :other, prefix: :its
  def other; Base.new; end
  def checked; end
  def skipped?; end
  def named?; end
  def failed; end
  def shown; end
  def presence; end
  def go; other_hello; end
  def its; its_hello; end
  def unknown; hello; end
  def run; Send.perform_later(1); end
  def run_now; Send.set(wait: 1).perform_now(1); end
  def run_any(job); job.perform_later(1); end
end
"#;
    check_some(
        project,
        &[
            "Kid::go -> Kid::other_hello",
            "Kid::its -> Kid::its_hello",
            "Kid::other_hello -> Base::hello",
            "Kid::run -> Send::perform",
            "Kid::run_now -> Send::perform",
        ],
        &["Kid::unknown -> Kid::hello", "Kid::run_any -> Send::perform"],
    );
    let graph = graph_of(project);
    let handed = ["checked", "skipped?", "named?", "failed", "shown", "presence"].map(|name| {
        let to = |edge: &Edge| graph.node(edge.to).is_some_and(|it| it.name == name);
        graph.edges().any(to)
    });
    assert_eq!(handed, [true, true, true, true, true, false]);
}
