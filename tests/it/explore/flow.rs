//! The flow: which chain is found, what it crosses, and what stays of it when files are long.

use pretty_assertions::assert_eq;

use super::{explore, names, source};
use crate::support::fixture::Fixture;

#[test]
fn the_flow_crosses_functions_that_nobody_named() {
    let fixture = Fixture::new(
        "\
//- /pack/mill.py
def grind(corn):
    return sieve(corn)

def sieve(corn):
    return shake(corn)

def shake(corn):
    return bag(corn)

def bag(corn):
    return [corn]
",
    );
    let found = explore(&fixture, "how does `grind` reach `bag`");
    assert_eq!(names(&found), ["grind", "sieve", "shake", "bag"]);
    let vias: Vec<&str> = found.flow.iter().map(|step| step.via.as_str()).collect();
    assert_eq!(vias, ["start", "call at line 2", "call at line 5", "call at line 8"]);
    assert_eq!(found.flow[3].line, 10);
}

#[test]
fn the_flow_says_where_it_is_chosen_at_run_time() {
    let fixture = Fixture::new(
        "\
//- /src/Lamp.java
interface Lamp {
    void light();
}
//- /src/OilLamp.java
class OilLamp implements Lamp {
    public void light() {
        burn();
    }

    void burn() {
    }
}
//- /src/Tower.java
class Tower {
    private Lamp lamp;

    void watch() {
        lamp.light();
    }
}
",
    );
    let found = explore(&fixture, "Tower.watch OilLamp.burn");
    assert_eq!(names(&found), ["Tower.watch", "Lamp.light", "OilLamp.light", "OilLamp.burn"]);
    assert!(found.flow[2].via.starts_with("dispatch"), "{:?}", found.flow);
}

#[test]
fn the_flow_keeps_out_of_tests() {
    let fixture = Fixture::new(
        "\
//- /pack/kiln.py
def fire(pot):
    return heat(pot)

def heat(pot):
    return pot
//- /tests/test_kiln.py
from pack.kiln import fire, heat

def test_fire():
    assert fire(1) == heat(1)
",
    );
    let found = explore(&fixture, "`test_fire` `fire` `heat`");
    assert_eq!(names(&found), ["fire", "heat"]);
}

#[test]
fn a_question_without_names_follows_what_fits_it_best() {
    let fixture = Fixture::new(
        "\
//- /pack/letters.py
def post_letter(letter):
    \"\"\"Posts a letter.\"\"\"
    return stamp_letter(letter)

def stamp_letter(letter):
    \"\"\"Puts a stamp on a letter.\"\"\"
    return letter + ' stamped'
//- /pack/garden.py
def water(rose):
    return rose
",
    );
    let found = explore(&fixture, "how does a letter get its stamp before it is posted?");
    assert_eq!(names(&found), ["post_letter", "stamp_letter"]);
}

#[test]
fn a_flow_passes_one_of_the_first_places() {
    const SCALE: &str = "\
//- /pack/scale.py
def weigh_parcel(parcel):
    \"\"\"Weighs a parcel on the scale before it is sent.\"\"\"
    total = 0
    for item in parcel.items:
        total += item.weight
    return total

def weigh_parcel_again(parcel):
    \"\"\"Weighs a parcel on the scale a second time.\"\"\"
    first = parcel.weight
    return max(first, 1)

def is_weighed(parcel):
    \"\"\"Whether the parcel was on the scale.\"\"\"
    return bool(parcel.weight)
//- /pack/office.py
def print_parcel_label(parcel):
    \"\"\"Prints the label of a parcel that is weighed.\"\"\"
    return label_of(parcel)

def label_of(parcel):
    \"\"\"Returns the label of a parcel.\"\"\"
    return f\"{parcel.name}: {parcel.weight}\"
";
    let asked = "how is a parcel weighed on the scale?";
    let passes_a_first = "
def weigh_all(parcels):
    \"\"\"Weighs every parcel on the scale.\"\"\"
    return [weigh_parcel(parcel) for parcel in parcels]
";
    for (further, question, flow) in [
        ("", asked, &[] as &[&str]),
        ("", "how does `print_parcel_label` use the scale?", &["print_parcel_label", "label_of"]),
        (passes_a_first, asked, &["weigh_all", "weigh_parcel"]),
    ] {
        let fixture = Fixture::new(
            &SCALE.replace("\n//- /pack/office", &format!("\n{further}//- /pack/office")),
        );
        assert_eq!(names(&explore(&fixture, question)), flow, "{question}");
    }
}

#[test]
fn a_property_is_read_and_a_method_is_handed_over() {
    for (above, how) in [
        ("    @property\n", "property: read"),
        ("    @functools.cached_property\n", "property: read"),
        ("    @functools.cache\n", "callback: handed over"),
        ("    # A property of the shop.\n", "callback: handed over"),
    ] {
        let fixture = Fixture::new("");
        let shop = format!(
            "class Shop:\n    def open_shop(self, door):\n        return door.run(self.price_list)\n\n{above}    def price_list(self):\n        return read_prices(self)\n\ndef read_prices(shop):\n    return shop\n"
        );
        fixture.write("pack/shop.py", &shop);
        let found = explore(&fixture, "how does `open_shop` reach `read_prices`?");
        let via = found.flow.get(1).map_or("", |step| step.via.as_str());
        assert!(via.starts_with(how), "{above}: {:?}", found.flow);
    }
}

#[test]
fn the_flow_crosses_the_field_that_keeps_a_callback() {
    let fixture = Fixture::new(
        "\
//- /src/bell.ts
export class Bell {
  private listeners: Set<() => void> = new Set();

  onRing(listener: () => void) {
    this.listeners.add(listener);
  }

  ringBell() {
    for (const listener of this.listeners) {
      listener();
    }
  }
}
//- /src/kitchen.ts
import { Bell } from './bell';

export class Kitchen {
  constructor(private bell: Bell) {
    this.bell.onRing(this.serveDinner);
  }

  serveDinner = () => {
    this.carryPlates();
  };

  carryPlates() {}
}
",
    );
    let found = explore(&fixture, "how does `ringBell` reach `carryPlates`");
    let flow = ["Bell.ringBell", "Bell.listeners", "Kitchen.serveDinner", "Kitchen.carryPlates"];
    assert_eq!(names(&found), flow, "{:?}", found.flow);
}

#[test]
fn a_long_function_on_the_flow_shows_its_start_and_the_call_that_goes_on() {
    let filler = |from: u32, to: u32| -> String {
        (from..to)
            .map(|n| format!("    total = total + weight_of_sack_number_{n}(total)\n"))
            .collect()
    };
    let fixture = Fixture::new(&format!(
        "//- /pack/scale.py\ndef weigh(total):\n{}    total = settle(total)\n{}    return total\n\ndef settle(total):\n    return total\n",
        filler(0, 150),
        filler(150, 300)
    ));
    let found = explore(&fixture, "weigh settle");
    assert_eq!(names(&found), ["weigh", "settle"]);
    let source = source(&found, "pack/scale.py");
    assert!(source.contains("def weigh(total)"));
    assert!(source.contains("total = settle(total)"));
    assert!(source.contains("def settle(total)"));
    for left_out in [4, 80, 145] {
        assert!(!source.contains(&format!("number_{left_out}(")), "{left_out}: {source}");
    }
    assert!(found.files[0].places.iter().any(|place| place.name == "weigh" && place.cut));
}

#[test]
fn what_the_flow_alone_calls_comes_with_it_however_much_it_calls() {
    let parts = ["flour", "salt", "yeast", "water", "malt", "honey", "seeds", "butter"];
    let calls: String = parts.map(|part| format!("    add_{part}_to_dough(bowl)\n")).concat();
    let helpers: String = parts
        .map(|part| format!("def add_{part}_to_dough(bowl):\n    bowl.put('{part}')\n    bowl.stir()\n    bowl.rest()\n\n"))
        .concat();
    let fixture = Fixture::new(&format!(
        "//- /pack/bakery.py\nfrom pack.steps import knead\n\ndef bake(bowl):\n    return knead(bowl)\n//- /pack/steps.py\ndef knead(bowl):\n{calls}    return bowl\n\n//- /pack/shelf.py\n{helpers}",
    ));
    let imports: String = parts.map(|part| format!("add_{part}_to_dough, ")).concat();
    let steps = format!(
        "from pack.shelf import {}\n\ndef knead(bowl):\n{calls}    return bowl\n",
        imports.trim_end_matches(", ")
    );
    fixture.write("pack/steps.py", steps);
    let found = explore(&fixture, "how do `bake` and `knead` make dough");
    assert!(names(&found).starts_with(&["bake", "knead"]), "{:?}", found.flow);
    let printed = source(&found, "pack/shelf.py");
    for part in parts {
        assert!(printed.contains(&format!("bowl.put('{part}')")), "{part}: {printed}");
    }
}

#[test]
fn the_flow_keeps_out_of_tests_that_stand_in_the_file_they_test() {
    let module = |name: &str| {
        format!(
            "\
#[cfg(test)]
mod {name} {{
    use super::*;

    fn pass_boat_through_lock_gate(boat: u32) -> u32 {{
        open_lock_gate(boat)
    }}

    #[test]
    fn a_boat_passes_the_lock_gate() {{
        assert_eq!(pass_boat_through_lock_gate(1), 1);
    }}
}}
"
        )
    };
    let alone = "#[test]\nfn pass_boat_through_lock_gate() {\n    open_lock_gate(1);\n}\n";
    for tests in [module("tests"), module("test"), alone.to_owned()] {
        let fixture = Fixture::new(&format!(
            "\
//- /Cargo.toml
[package]
name = \"canal\"
//- /src/lib.rs
pub fn open_lock_gate(boat: u32) -> u32 {{
    fill_lock(boat)
}}

fn fill_lock(boat: u32) -> u32 {{
    boat
}}

{tests}"
        ));
        let found = explore(&fixture, "how does a boat pass through the gate of a lock?");
        assert_eq!(names(&found), ["open_lock_gate", "fill_lock"], "{tests}: {:?}", found.flow);
        let source = source(&found, "src/lib.rs");
        assert!(!source.contains("pass_boat_through_lock_gate"), "{tests}: {source}");
    }
}

#[test]
fn a_flow_that_says_little_of_the_question_has_no_room_of_its_own() {
    let long = |name: &str, last: &str| -> String {
        let lines: String = (0..80)
            .map(|n| format!("    tray = write_line_into_the_ledger_of_the_hall(tray, {n})\n"))
            .collect();
        let words = "# weighed stamped clerk sort letters evening train coast";
        format!("def {name}(tray):\n    {words}\n{lines}    return {last}\n\n")
    };
    let fixture = Fixture::new(&format!(
        "\
//- /pack/hall.py
{}{}
//- /pack/post.py
def sort_letters(tray):
    return sorted(tray)

def stamp(tray):
    return tray

def board_evening_train(tray):
    return tray

def ask_clerk_of_coast(tray):
    return tray

def weigh(tray):
    return tray
",
        long("receive", "forward(tray)"),
        long("forward", "tray")
    ));
    let named = explore(&fixture, "how does `receive` reach `forward`");
    assert_eq!(names(&named), ["receive", "forward"]);
    assert!(named.files[0].places.iter().all(|place| !place.cut), "{:?}", named.files[0].places);
    let vague = explore(
        &fixture,
        "when it is weighed and stamped, how does the clerk sort letters for the evening train to the coast",
    );
    assert_eq!(names(&vague), ["receive", "forward"]);
    let printed = vague.files.iter().flat_map(|file| &file.sections);
    let chars: usize = printed.map(|section| section.source.len()).sum();
    assert!(chars < 7_000, "{chars}");
}

#[test]
fn members_of_the_types_that_the_flow_passes_come_before_what_is_ranked_with_them() {
    let fixture = Fixture::new(
        "\
//- /pack/mill.py
class Mill:
    def grind(self, sack):
        return self.sieve(sack)

    def sieve(self, sack):
        return sack

    def stop(self):
        pass

    def polish(self, corn):
        for grain in corn:
            grain.rub()
        return corn

class Yard:
    pass

def polish_corn(corn):
    for grain in corn:
        grain.rub()
    return corn

class Barn:
    pass

def polish_corn_again(corn):
    for grain in corn:
        grain.rub()
    return corn
",
    );
    let found = explore(&fixture, "`grind` `sieve` polish corn");
    assert_eq!(names(&found), ["Mill.grind", "Mill.sieve"]);
    let at = |name: &str| found.results.iter().position(|result| result.place.name == name);
    assert_eq!(at("polish_corn"), Some(0), "{:?}", found.results);
    assert!(at("polish_corn_again") < at("Mill.polish"), "{:?}", found.results);
    let places = &found.files[0].places;
    let at = |name: &str| places.iter().position(|place| place.name == name);
    // The first result has room of its own.
    assert!(at("polish_corn") < at("Mill.polish"), "{places:?}");
    assert!(at("Mill.polish") < at("polish_corn_again"), "{places:?}");
}
