(program (binary_operator lhs: (identifier) @name operator: ["<-" "="] rhs: (function_definition)) @definition.function)
(program (binary_operator lhs: (identifier) @name operator: ["<-" "="] rhs: (call)) @definition.variable)
(comment) @comment
