((call target: (identifier) @_word (arguments . (alias) @name)) @definition.module
  (#any-of? @_word "defmodule" "defprotocol"))
((call
  target: (identifier) @_word
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name) operator: "when")
    (binary_operator left: (identifier) @name operator: "when")
  ])) @definition.function
  (#any-of? @_word "def" "defp" "defdelegate" "defguard" "defguardp" "defn" "defnp"))
((call
  target: (identifier) @_word
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name) operator: "when")
  ])) @definition.macro
  (#any-of? @_word "defmacro" "defmacrop"))
((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_word
    (arguments . (binary_operator left: [(call target: (identifier) @name) (identifier) @name])))) @definition.type
  (#any-of? @_word "type" "typep" "opaque"))
(comment) @comment
((call target: (identifier) @_word (arguments . (alias) @import))
  (#any-of? @_word "alias" "import" "require" "use"))
