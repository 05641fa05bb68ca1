"""Pages for people; they read results and never run a model.

Nothing is imported here: who writes one kind of page need not load the others.
"""
