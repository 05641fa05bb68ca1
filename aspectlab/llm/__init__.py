"""LLM: opinions from any OpenAI-compatible chat endpoint, zero-shot or few-shot, without torch.

Idea: the model is asked for strict JSON with words copied from the text; the words are put back where they
stand. What does not stand in the text is dropped and counted. Answers are kept, so that work that was
interrupted goes on where it stopped and a second run costs nothing.
The texts leave this machine, unless the endpoint is on it.
"""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
