"""The words that a bundle may hold, kind by kind: all else becomes null, ``other`` or a number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from joulemark.bundles.submission.private import leaks
from joulemark.engines.published_name import published_name
from joulemark.meters.privacy import hashed
from joulemark.record.axis import AXES
from joulemark.record.reason import Reason

OTHER = "other"
_LONGEST = 500
_HEX = re.compile(r"(?:(?:sha256|ollama|git|hf-commit):)?[0-9a-f]{16,128}")
_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)")
_MODEL = re.compile(r"[A-Za-z0-9][\w.+-]*(?:/[A-Za-z0-9][\w.+-]*)?(?::[\w.+-]+)?(?:@[\w.+-]+)?", re.ASCII)
_VERSION = re.compile(
    r"(?:(?:xllamacpp|diffusers|llama\.cpp|vllm|build) )?[vb]?\d[\w.+-]{0,60}(?:, torch \d[\w.+-]{0,40})?",
    re.ASCII,
)
_QUANTIZATION = re.compile(
    r"(?:UD-)?(?:IQ|TQ|Q)\d\w{0,10}(?: - (?:Small|Medium|Large))?|MOSTLY_\w{1,10}"
    r"|(?:all )?[BF]?F(?:16|32|64)|FP\d\w{0,8}"
    r"|(?:b?float|int|uint)\d{1,2}|half|I(?:NT)?\d|W\d+A\d+\w{0,6}"
    r"|(?:MX|NV)FP\d|(?:AWQ|GPTQ|EXL\d|HQQ|EETQ|AQLM)\w{0,20}"
    r"|bitsandbytes(?:-\w{2,4})?|compressed-tensors|modelopt(?:_fp\d)?|marlin|fbgemm_fp8|Unquantized|none",
    re.ASCII | re.IGNORECASE,
)
_MAKERS = (
    "NVIDIA|Tesla|GeForce|Quadro|AMD|ATI|Radeon|Instinct|Intel|Apple|ARM|Arm|Ampere|Neoverse|Cortex|Xeon|EPYC"
    "|Ryzen|IBM|POWER|Qualcomm|Snapdragon|Broadcom|Huawei|Kunpeng|Testchip|Simulated|Shelly|Tasmota|Yokogawa"
)
_PRODUCT = re.compile(rf"(?:\d\d?th Gen )?(?:{_MAKERS})\b[\w ().,@+/-]{{0,80}}", re.ASCII)
_ARCHITECTURES = (
    "llama|qwen|mistral|mixtral|ministral|phi|gemma|gpt|falcon|mpt|bloom|starcoder|deepseek|command|cohere|olmo"
    "|granite|smol|stablelm|internlm|yi|glm|chatglm|baichuan|minicpm"
    "|mamba|rwkv|jamba|nemotron|exaone|dbrx|bert|t5|unknown"
)
_FLAG_TEXT = re.compile(
    rf"auto|default|model default|one a request|refused|on|off|true|false|none|active|passive"
    rf"|openai|ollama|image|video|gguf|mlx|safetensors|recompute|swap|lpm|fcfs|(?:cpu|cuda|xpu|mps)"
    rf"|(?:{_ARCHITECTURES})[a-z0-9._-]{{0,16}}"
    r"|CPU|(?:CUDA|ROCm|Metal|Vulkan|SYCL|MTL)\d*(?:,(?:CUDA|ROCm|Metal|Vulkan|SYCL|MTL)\d*)*"
    r"|\d{1,5}(?:\.\d+)?[KMBT]"
    r"|(?:Stable|Flux|Wan|Hunyuan|Sana|PixArt|LTX|CogVideoX|Auto)[A-Za-z0-9]{0,30}Pipeline[A-Za-z0-9]{0,12}"
    r"|(?:DDIM|DDPM|PNDM|Euler|LMS|DPM|UniPC|Heun|FlowMatch)[A-Za-z0-9]{0,30}Scheduler",
    re.ASCII,
)
_FLAG_NAMES = """
    threads n_ctx n_ctx_asked n_parallel n_batch n_gpu_layers cache_prompt top_k top_p min_p
    omp_wait_policy devices llama_cpp_build architecture parameters parameter_size format think
    truncate allow_cache stream_usage seed_accepted cache_salt api flash_attention kv_cache_on_gpu
    kv_cache_dtype max_input_tokens media media_kind pipeline scheduler device dtype temperature
    repeat_penalty num_predict seed mirostat typical_p num_batch num_gpu num_thread schedule_policy
    chunked_prefill_size mem_fraction_static attention_backend
"""
_FLAGS = frozenset(_FLAG_NAMES.split()) | frozenset(
    name for axis in AXES for name in (axis.name, *axis.engines, *axis.published)
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Lets words through. ``salt`` hashes what is to be told apart only; ``identities`` are this machine's.

    A verifier has neither: what it would have to hash is then no bundle's word.
    """

    salt: bytes = b""
    identities: frozenset[str] = field(default_factory=frozenset)

    def digest(self, text: str | None) -> str | None:
        """Return a hash as it is; anything else hashed with the salt."""
        if text is None or _HEX.fullmatch(text):
            return text
        return hashed(text, self.salt)

    def model(self, text: str) -> str:
        """Return a model's name, of a path its last part; ``unnamed`` where it gives anything away."""
        name = published_name(text) if len(text) <= _LONGEST else ""
        return name if len(name) <= 120 and _MODEL.fullmatch(name) and self._is_public(name) else "unnamed"

    def version(self, text: str | None) -> str | None:
        """Return a version; null for what is none."""
        return self._matching(_VERSION, text)

    def release(self, text: str | None) -> str | None:
        """Return the first three numbers of a release, without what its builder added."""
        found = re.match(r"\d{1,5}(?:\.\d{1,5}){1,2}", text or "")
        return found[0] if found else None

    def quantization(self, text: str | None) -> str | None:
        """Return the name of a way to quantize."""
        return self._matching(_QUANTIZATION, text)

    def product(self, text: str | None) -> str | None:
        """Return the name of a chip, a board or a meter by a maker that is known."""
        return self._matching(_PRODUCT, text)

    def instant(self, text: str | None) -> str | None:
        """Return a time stamp in ISO 8601."""
        return text if text is not None and _ISO.fullmatch(text) else None

    def flags(
        self, flags: Mapping[str, str | int | float | bool | None]
    ) -> dict[str, str | int | float | bool | None]:
        """Return the settings of an engine that are known; of words those that are."""
        return {
            name: value
            for name, value in flags.items()
            if name in _FLAGS
            and (
                not isinstance(value, str)
                or self._matching(_FLAG_TEXT, value)
                or self.quantization(value)
                or self.version(value)
            )
        }

    def matching(self, pattern: str, text: str | None) -> str | None:
        """Return ``text`` where all of it matches; null otherwise."""
        return self._matching(re.compile(pattern, re.ASCII), text)

    def _matching(self, pattern: re.Pattern[str], text: str | None) -> str | None:
        return (
            text
            if text is not None
            and len(text) <= _LONGEST
            and pattern.fullmatch(text)
            and self._is_public(text)
            else None
        )

    def _is_public(self, text: str) -> bool:
        return leaks(text, self.identities) is None


def one_of(text: str | None, words: Iterable[str], otherwise: str | None = OTHER) -> str | None:
    """Return a word of a closed vocabulary, ``otherwise`` for another; null stays null."""
    return text if text is None or text in frozenset(words) else otherwise


@cache
def _codes() -> frozenset[str]:
    return frozenset(Reason)


def codes(reasons: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """Return why fields are null: codes alone, of the fields that there are."""
    known = frozenset(names)
    found = {name: why.partition(":")[0] for name, why in reasons.items() if name in known}
    return {name: why if why in _codes() else Reason.NOT_REPORTED.value for name, why in found.items()}
