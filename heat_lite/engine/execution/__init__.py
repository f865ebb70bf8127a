"""How an action on a stack is executed: its task, its plan, its walk and its steps."""
