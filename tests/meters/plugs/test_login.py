"""Challenges, and where a password may come from."""

from __future__ import annotations

import os
import secrets
import threading
from pathlib import Path

import pytest

from joulemark.meters.plugs.digest import Challenge
from joulemark.meters.plugs.password import PasswordUnreadable, read_password


def test_the_answer_is_that_of_the_rfc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The example of RFC 7616, section 3.9.1, SHA-256."""
    cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    monkeypatch.setattr(secrets, "token_hex", lambda size: cnonce)
    challenge = Challenge.parse(
        'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, '
        'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", '
        'opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"'
    )
    assert challenge is not None
    field = challenge.authorization("Mufasa", "Circle of Life", "/dir/index.html")
    assert 'response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"' in field
    assert "nc=00000001" in field
    assert 'opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"' in field
    assert "nc=00000002" in challenge.authorization("Mufasa", "Circle of Life", "/dir/index.html")


@pytest.mark.parametrize(
    "field",
    [
        "",
        "Digest",
        'Digest realm="r", nonce="n", qop="auth", algorithm=MD5',
        'Digest realm="r", nonce="n", qop="auth-int", algorithm=SHA-256',
        'Digest realm="r", qop="auth", algorithm=SHA-256',
        'Negotiate abc, realm="r"',
    ],
)
def test_what_is_not_spoken_is_not_answered(field: str) -> None:
    assert Challenge.parse(field) is None


def test_basic_is_the_user_and_the_password() -> None:
    challenge = Challenge.parse('Basic realm="shelly"')
    assert challenge is not None
    assert challenge.authorization("Aladdin", "open sesame", "/") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="


def test_a_file_goes_before_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "from the environment")
    assert read_password("SECRET", None) == "from the environment"
    file = tmp_path / "password"
    file.write_text("  from the file \nsecond line\n")
    assert read_password("SECRET", str(file)) == "from the file"
    assert read_password("NO_SUCH", None) is None


@pytest.mark.parametrize("content", [b"", b"\n\n", b"   \nnext", b"\xff\xfe\x00", b"x" * 5000])
def test_a_file_without_a_password_says_so_and_shows_nothing(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "password"
    file.write_bytes(content)
    with pytest.raises(PasswordUnreadable) as caught:
        read_password("SECRET", str(file))
    assert "xxx" not in str(caught.value)


@pytest.mark.parametrize("kind", ["pipe", "endless", "folder"])
def test_what_is_no_file_is_not_waited_for(tmp_path: Path, kind: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    place = {"pipe": pipe, "endless": Path("/dev/zero"), "folder": tmp_path}[kind]
    said: list[str] = []

    def ask() -> None:
        try:
            read_password("SECRET", str(place))
        except PasswordUnreadable as error:
            said.append(str(error))

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(5)
    assert len(said) == 1
    assert "no regular file" in said[0] or "directory" in said[0]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PasswordUnreadable, match="No such file"):
        read_password("SECRET", str(tmp_path / "none"))
