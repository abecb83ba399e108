//! Components of Vue and Svelte: their scripts and templates, and what other files make of them.

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, NodeKind, indexing::Language};

use crate::support::{check, check_some, edges, graph_of};

const VUE: &str = r#"
//- /src/api.ts
export function load(id: number): Item { return new Item(id); }
export class Item { constructor(readonly id: number) {} title() { return ''; } }
export function color(item: Item) { return 'red'; }
//- /src/parts/ItemCard.vue
<script setup lang="ts">
import { color, type Item } from '../api';
const { item } = defineProps<{ item: Item }>();
function name(of: Item = item) { return of.title(); }
</script>

<template>
  <p :style="{ color: color(item) }">{{ name() }}</p>
</template>
//- /src/Page.vue
<!-- <script>nothing()</script> -->
<template>
  <section v-for="it in items" @click="open">
    <item-card :item="it" /> <Missing /> {{ count > 0 ? format(it) : '<b>' }}
  </section>
</template>

<script lang="ts">
export const limit = 3;
</script>

<script setup lang="ts">
import { load } from './api';
import ItemCard from './parts/ItemCard.vue';
const items = [load(1)];
function open() { return load(2).title(); }
function format(x: unknown) { return open(); }
</script>

<style>p { color: red }</style>
//- /src/main.tsx
import Page from './Page.vue';
import Card from './parts/ItemCard.vue';
export function start() { return createApp(Page); }
export const Shown = () => <Card />;
export function make() { return Page(); }
"#;

#[test]
fn components_and_modules_see_each_other() {
    check(
        VUE,
        &[
            "src/Page.Page -> src/Page.format",
            "src/Page.Page -> src/api.load",
            "src/Page.Page -> src/parts/ItemCard.ItemCard",
            "src/Page.format -> src/Page.open",
            "src/Page.open -> src/api.Item.title ~",
            "src/Page.open -> src/api.load",
            "src/api.load -> src/api.Item",
            "src/main.Shown -> src/parts/ItemCard.ItemCard",
            "src/main.make -> src/Page.Page",
            "src/parts/ItemCard.ItemCard -> src/api.color",
            "src/parts/ItemCard.ItemCard -> src/parts/ItemCard.name",
            "src/parts/ItemCard.name -> src/api.Item.title",
        ],
    );
    let graph = graph_of(VUE);
    let references = edges(&graph, EdgeKind::References);
    for edge in ["src/Page.Page -> src/Page.open ?", "src/main.start -> src/Page.Page ?"] {
        assert!(references.contains(&edge.to_owned()), "{edge} is not in {references:#?}");
    }
    let page = graph.nodes().find(|node| node.qname == "src/Page.Page").unwrap();
    assert_eq!((page.kind, page.start, page.end), (NodeKind::Function, 1, 20));
    assert_eq!(page.signature, "<script lang=\"ts\">");
    let open = graph.nodes().find(|node| node.name == "open").unwrap();
    assert_eq!((open.start, open.end), (16, 16));
    assert_eq!(open.language.name(), "vue");
}

#[test]
fn options_and_classes_are_components_as_well() {
    check(
        "
//- /Old.vue
<script>
import { tell } from './tell';
export default {
  name: 'Older',
  methods: { ask() { this.tell(); return tell(); }, tell() {} },
};
</script>
//- /tell.js
export function tell() {}
//- /use.js
import Old from './Old';
export function use() { return Old(); }
",
        &[
            "Old.Old.methods.ask -> Old.Old.methods.tell",
            "Old.Old.methods.ask -> tell.tell",
            "use.use -> Old.Old",
        ],
    );
}

#[test]
fn svelte_scripts_and_markup_are_read() {
    check(
        r#"
//- /List.svelte
<script context="module">
  export function key(row) { return row.id; }
</script>
<script>
  import Row from './Row.svelte';
  import { rows, drop } from './rows';
  let open = false;
  function toggle() { open = !open; }
</script>
{#if open && rows().length}
  {#each rows() as { id, name }, i (id)}
    <Row {...name} on:click={() => drop(id)} class="a {key(name)} b" />
  {:else}none{/each}
{/if}
<button on:click={toggle}>}</button>
//- /Row.svelte
<p>row</p>
//- /rows.js
export function rows() { return []; }
export function drop(id) {}
//- /main.js
import List, { key } from './List.svelte';
export function main() { new List({ target: 1 }); key(2); }
"#,
        &[
            "List.List -> List.key",
            "List.List -> Row.Row",
            "List.List -> rows.drop",
            "List.List -> rows.rows",
            "main.main -> List.List",
            "main.main -> List.key",
        ],
    );
}

#[test]
fn a_component_is_named_by_its_file_whatever_others_hold() {
    let graph = graph_of(
        "//- /a/One.vue\n<template>x</template>\n//- /b/Two.vue\n<template>x</template>\n//- /c.svelte\n",
    );
    let mut names: Vec<&str> = graph
        .nodes()
        .filter(|node| node.kind == NodeKind::Function)
        .map(|node| node.qname.as_str())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["a/One.One", "b/Two.Two", "c.c"]);
    assert_eq!(Language::of_path("a/One.vue"), Some(Language::Vue));
}

#[test]
fn a_rune_gives_what_it_is_given() {
    let project = "//- /observer.ts\nexport class Observer { run() {} }\n//- /main.svelte.ts\n\
        import { Observer } from './observer';\nexport function start() {\n  let one = $state(new Observer());\n  \
        one.run();\n}\nexport function stop() {\n  const one = $derived(new Observer());\n  one.run();\n}\n";
    let runs =
        ["main.svelte.start -> observer.Observer.run", "main.svelte.stop -> observer.Observer.run"];
    check_some(project, &runs, &[]);
}
