"""Which addresses are accepted, and where the key may go."""

import pytest

from aspectlab.errors import ConfigError
from aspectlab.llm import Endpoint
from tests.support.chat_endpoint import KEY


@pytest.mark.parametrize(
    "url", ["https://api.example/v1", "https://api.example/v1/", "https://api.example/v1/chat/completions"]
)
def test_endpoint_adds_the_path_once(url: str) -> None:
    assert Endpoint(url).chat_url == "https://api.example/v1/chat/completions"


@pytest.mark.parametrize(
    "url",
    [
        *["", "api.example", "localhost:8000", "ftp://api.example", "file:///etc/passwd", "https://"],
        *[
            "https://api.example:port/v1",
            "https://api example/v1",
            "https://api.example/v1\n",
            "https://[::1",
        ],
        "https://" + "a" * 70 + ".example",
    ],
)
def test_endpoint_refuses_what_is_no_address(url: str) -> None:
    with pytest.raises(ConfigError, match=r"expected an address such as https://api\.openai\.com/v1"):
        Endpoint(url)


@pytest.mark.parametrize(
    "url",
    ["https://me:hush@api.example/v1", "https://api.example/v1?key=hush", "https://api.example/v1#hush"],
)
def test_endpoint_refuses_a_secret_in_the_address_without_showing_it(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Endpoint(url)
    assert "the key comes from an environment variable" in str(caught.value)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "[::1]"])
def test_endpoint_on_this_machine_is_local(host: str) -> None:
    assert Endpoint(f"http://{host}:8000/v1").is_local


@pytest.mark.parametrize("host", ["localhost.example", "10.0.0.1", "127.0.0.1.example"])
def test_endpoint_on_another_machine_gets_the_usual_key_only_encrypted(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match="the key in OPENAI_API_KEY would travel unencrypted"):
        Endpoint(f"http://{host}/v1")
    assert Endpoint(f"https://{host}/v1").key == KEY
    assert Endpoint(f"http://{host}/v1", "OPENAI_API_KEY").key == KEY
    monkeypatch.delenv("OPENAI_API_KEY")
    assert Endpoint(f"http://{host}/v1").key is None


def test_endpoint_takes_the_key_without_the_newline_of_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    assert Endpoint("https://api.example").key == KEY


@pytest.mark.parametrize("key", ["hush\r\nX-Evil: 1", "hush\x07", "hush…"])
def test_endpoint_refuses_a_key_that_no_header_can_hold_without_showing_it(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(
        ConfigError, match="environment variable OPENAI_API_KEY: its value cannot be a key"
    ) as caught:
        Endpoint("https://api.example").redact("text")
    assert "hush" not in str(caught.value)
