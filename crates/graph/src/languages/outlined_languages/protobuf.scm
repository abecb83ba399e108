(message (message_name) @name) @definition.struct
(enum (enum_name) @name) @definition.enum
(service (service_name) @name) @definition.interface
(rpc (rpc_name) @name) @definition.method
(field (identifier) @name) @definition.field
(enum_field . (identifier) @name) @definition.variant
(comment) @comment
(import path: (string) @import)
