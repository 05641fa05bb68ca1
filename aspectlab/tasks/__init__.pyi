from aspectlab.tasks.task import TASKS as TASKS, Task as Task
