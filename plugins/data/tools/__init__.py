"""What the tools over databases do; `tool_specs` names them."""
