"""Where nothing may be fetched, nobody is asked."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="encoders need the extra 'train'")

PROGRAM = """
import socket

asked = []

def refuse(*words, **more):
    asked.append(words)
    raise OSError("no network")

socket.getaddrinfo = socket.create_connection = socket.socket.connect = refuse
{before}
from aspectlab.encoders import load_encoder
from aspectlab.errors import MissingPartError

try:
    load_encoder("some-org/some-model")
except MissingPartError as error:
    print(error)
print("asked:", *asked)
"""


@pytest.mark.parametrize("before", ["", "import transformers, huggingface_hub"])
def test_offline_encoder_by_name_asked_the_hub(before: str, tmp_path: Path) -> None:
    found = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    found |= {"ASPECTLAB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    program = PROGRAM.format(before=before)
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=found)
    assert "'some-org/some-model': neither a folder nor a model that can be fetched" in answer.stdout
    assert answer.stdout.splitlines()[-1] == "asked:"
