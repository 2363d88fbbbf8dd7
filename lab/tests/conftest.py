"""That the helpers beside this file can be imported by tests in any folder of the laboratory."""
