((block . (identifier) @_word (string_lit (template_literal) @name) . (block_start)) @definition.variable
  (#any-of? @_word "variable" "output"))
((block . (identifier) @_word (string_lit (template_literal) @name) . (block_start)) @definition.module
  (#eq? @_word "module"))
(block . (identifier) (string_lit (template_literal) @name) . (block_start)) @definition.struct
((block . (identifier) @_word (body (attribute (identifier) @name) @definition.variable))
  (#eq? @_word "locals"))
(comment) @comment
((block . (identifier) @_word (body (attribute (identifier) @_key (expression (literal_value (string_lit (template_literal) @import))))))
  (#eq? @_word "module") (#eq? @_key "source"))
