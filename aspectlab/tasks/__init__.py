"""Tasks: which parts of a quad are judged, and which corpora can be judged so."""

from aspectlab.tasks.task import TASKS, Task

__all__ = ["TASKS", "Task"]
