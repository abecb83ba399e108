(package_statement name: (package) @name) @definition.module
(class_statement name: (package) @name) @definition.class
(role_statement name: (package) @name) @definition.interface
(subroutine_declaration_statement name: (bareword) @name) @definition.function
(method_declaration_statement name: (bareword) @name) @definition.method
(comment) @comment
(use_statement module: (package) @import)
