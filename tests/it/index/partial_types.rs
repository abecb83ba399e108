//! Types that are declared in several files: what one part says decides what calls in another part mean.

use super::{Machine, assert_current};

const CS: &str = "class A { public void Foo() {} public virtual void Run() {} }\n\
                  class B { public void Foo() {} public virtual void Run() {} }\n";
const RUBY: &str = "class A\n  def foo\n  end\nend\n\nclass B\n  def foo\n  end\nend\n\n\
                    module M\n  def foo\n  end\nend\n";

/// The types that others build on; the part with the calls; the other part, and what it becomes.
const CASES: &[[&str; 5]] = &[
    [
        "cs",
        CS,
        "partial class T { void Go() { Foo(); this.Foo(); } }\n",
        "partial class T : A {}\n",
        "partial class T : B {}\n",
    ],
    [
        "cs",
        CS,
        "partial class T { void Go() { Foo(); } }\n",
        "partial class T : A {}\n",
        "partial class T {}\n",
    ],
    [
        "cs",
        CS,
        "partial class T { public override void Run() { base.Run(); } }\n",
        "partial class T : A {}\n",
        "partial class T : B {}\n",
    ],
    [
        "cs",
        CS,
        "partial class T<X> { void Go(X x) { x.Foo(); } }\n",
        "partial class T<X> where X : A {}\n",
        "partial class T<X> where X : B {}\n",
    ],
    [
        "rb",
        RUBY,
        "class T\n  def go\n    foo\n  end\nend\n",
        "class T < A\nend\n",
        "class T < B\nend\n",
    ],
    [
        "rb",
        RUBY,
        "class T\n  def go\n    foo\n  end\nend\n",
        "class T\n  include M\nend\n",
        "class T\nend\n",
    ],
];

#[test]
fn what_one_part_of_a_type_says_is_seen_in_the_others() {
    for [extension, bases, calls, before, after] in CASES {
        // Either part may come first.
        for (part_with_calls, other) in [("joined/a", "joined/z"), ("joined/z", "joined/a")] {
            let machine = Machine::new();
            let write =
                |name: &str, text: &str| machine.write(&format!("{name}.{extension}"), text);
            write("joined/bases", bases);
            write(part_with_calls, calls);
            for text in [before, after, before] {
                write(other, text);
                assert_current(&machine, &machine.stored());
            }
        }
    }
}
