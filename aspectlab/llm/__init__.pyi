from aspectlab.llm.chat import (
    AnswerCache as AnswerCache,
    ChatAnswer as ChatAnswer,
    default_cache as default_cache,
)
from aspectlab.llm.client import Client as Client, RefusedError as RefusedError
from aspectlab.llm.endpoint import Endpoint as Endpoint
from aspectlab.llm.extractor import Extraction as Extraction, extract as extract
from aspectlab.llm.prompts import (
    FORMS as FORMS,
    Form as Form,
    build_messages as build_messages,
    choose_form as choose_form,
    draw_shots as draw_shots,
    locate_records as locate_records,
    parse_answer as parse_answer,
)
from aspectlab.llm.usage import Budget as Budget, Prices as Prices, Report as Report
