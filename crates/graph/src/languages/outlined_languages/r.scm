(program (binary_operator lhs: (identifier) @name operator: ["<-" "="] rhs: (function_definition)) @definition.function)
(program (binary_operator lhs: (identifier) @name operator: ["<-" "="] rhs: (call)) @definition.variable)
(comment) @comment
((call function: (identifier) @_word arguments: (arguments . argument: (argument value: (string) @import)))
  (#eq? @_word "source"))
