"""LLM: opinions from any OpenAI-compatible chat endpoint, zero-shot or few-shot, without torch.

Idea: the model is asked for strict JSON with words copied from the text; the words are put back where they
stand. What does not stand in the text is dropped and counted. Answers are kept, so that work that was
interrupted goes on where it stopped and a second run costs nothing.
The texts leave this machine, unless the endpoint is on it.
"""

from aspectlab.llm.answers import parse_answer, place_records
from aspectlab.llm.cache import AnswerCache, default_cache
from aspectlab.llm.chat import Answer
from aspectlab.llm.client import Client
from aspectlab.llm.cost import Budget, Prices
from aspectlab.llm.endpoint import Endpoint
from aspectlab.llm.extractor import Extraction, extract
from aspectlab.llm.prompts import FORMS, Form, build_messages, draw_shots
from aspectlab.llm.report import Report

__all__ = [
    "FORMS",
    "Answer",
    "AnswerCache",
    "Budget",
    "Client",
    "Endpoint",
    "Extraction",
    "Form",
    "Prices",
    "Report",
    "build_messages",
    "default_cache",
    "draw_shots",
    "extract",
    "parse_answer",
    "place_records",
]
