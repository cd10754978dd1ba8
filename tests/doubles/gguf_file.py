"""Small GGUF files, sound or spoilt on purpose."""

from __future__ import annotations

import struct


def gguf_bytes(
    *,
    architecture: str = "llama",
    chat_template: str | None = "{{ messages }}",
    file_type: int | None = 3,
    pairs: tuple[bytes, ...] = (),
    version: int = 3,
) -> bytes:
    """A sound file with one tensor of 8 x 4 elements; ``pairs`` are further metadata entries as bytes."""
    entries = [
        pair("general.architecture", architecture),
        pair("general.name", "tiny"),
        pair(f"{architecture}.context_length", 2048),
        *pairs,
    ]
    if chat_template is not None:
        entries.append(pair("tokenizer.chat_template", chat_template))
    if file_type is not None:
        entries.append(pair("general.file_type", file_type))
    tensor = _text("token_embd.weight") + struct.pack("<IQQIQ", 2, 8, 4, 0, 0)
    header = b"GGUF" + struct.pack("<IQQ", version, 1, len(entries)) + b"".join(entries) + tensor
    return header + bytes(-len(header) % 32) + bytes(8 * 4 * 4)


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def pair(name: str, value: str | int) -> bytes:
    """A metadata entry: a text or an unsigned 32-bit number."""
    is_text = isinstance(value, str)
    return _text(name) + (struct.pack("<I", 8) + _text(value) if is_text else struct.pack("<II", 4, value))
