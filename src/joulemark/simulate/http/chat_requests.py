"""Chat requests: read, met by a fault or not, put to the simulated server, answered as its tokens come."""

from __future__ import annotations

from time import monotonic_ns
from typing import Any

from joulemark.simulate.http.answering import Answering
from joulemark.simulate.http.answers import Answer, AnswerBook
from joulemark.simulate.http.asked import Asked
from joulemark.simulate.http.chat_writer import ChatWriter
from joulemark.simulate.http.connection import Connection
from joulemark.simulate.http.faults import Fault
from joulemark.simulate.http.live import LiveServer
from joulemark.simulate.http.ollama_writer import OllamaWriter
from joulemark.simulate.http.prompt import prefix_blocks, prompt_tokens
from joulemark.simulate.http.refusal import Refusal
from joulemark.simulate.http.simulation import MOST_CONTEXT, Simulation
from joulemark.simulate.http.truth import Truth
from joulemark.simulate.http.writer import AnswerWriter, Spent
from joulemark.simulate.request import Finished, SimRequest


class ChatRequests:
    """Takes the chat requests of one simulation, numbered from 1."""

    def __init__(
        self,
        simulation: Simulation,
        live: LiveServer,
        book: AnswerBook,
        truth: Truth,
        *,
        model_id: str,
        created: int,
    ) -> None:
        self._simulation, self._live, self._book, self._truth = simulation, live, book, truth
        self._model_id, self._created = model_id, created
        self._number = 0

    def take(self, asked: Asked, path: str, line: Connection) -> None:
        """Answer one, now or as it is made; raises ``Refusal`` for one that is not carried out."""
        self._number += 1
        self._truth.taken += 1
        number = self._number
        fault = self._simulation.faults.of(number, (monotonic_ns() - self._live.t0_ns) * 1e-9)
        if fault is not None:
            self._truth.faults[str(fault.status or fault.kind)] += 1
            if fault.kind == "refuse":
                line.hang_up()
                return
            if fault.status:
                raise _refused(fault)
        prompt, limit = self._room(asked)
        exact = asked.exact and self._simulation.profile.exact
        answer = self._book.answer(asked.question, limit, exact=exact, least=asked.least)
        request = SimRequest(
            request_id=f"chatcmpl-sim-{self._live.t0_ns:x}-{number}",
            prompt_tokens=prompt,
            output_tokens=answer.tokens,
            prefix=self._blocks(asked),
        )
        writer = self._writer(asked, answer, request, path)
        simulation = self._simulation
        answering = Answering(
            answer,
            writer,
            line,
            stream=asked.stream,
            tokens_a_chunk=simulation.tokens_a_chunk or simulation.profile.style.tokens_a_chunk,
            fault=fault,
            let_go=lambda why: self._let_go(request.request_id, why),
            done=lambda finished: self._done(finished, number, answer),
        )
        line.on_gone = answering.gone
        line.closes = simulation.profile.closes and asked.stream
        answering.begin()
        if not answering.is_over:
            self._live.submit(request, answering)

    def _room(self, asked: Asked) -> tuple[int, int]:
        """Return the tokens of the prompt, and the most that the answer may have."""
        profile = self._simulation.profile
        if asked.model.removesuffix(profile.model_tag) != self._model_id.removesuffix(profile.model_tag) and (
            not profile.any_model
        ):
            raise Refusal(404, f"The model `{asked.model}` does not exist; there is {self._model_id}")
        prompt = prompt_tokens(asked.messages)
        context = min(self._simulation.context, asked.context or MOST_CONTEXT)
        limit = asked.limit if asked.limit is not None else context - prompt
        if limit < 1 or prompt + limit > context:
            raise Refusal(
                400,
                f"This model's maximum context length is {context} tokens. However, you requested "
                f"{prompt + (asked.limit or 1)} tokens ({prompt} in the messages, {asked.limit or 1} in the "
                "completion).",
            )
        return prompt, limit

    def _blocks(self, asked: Asked) -> tuple[int, ...]:
        if not self._simulation.config.prefix_cache or not asked.caching:
            return ()
        return prefix_blocks(asked.messages, asked.salt if self._simulation.profile.salted else "")

    def _writer(self, asked: Asked, answer: Answer, request: SimRequest, path: str) -> AnswerWriter:
        profile = self._simulation.profile
        if path == profile.native_path:
            return OllamaWriter(answer, model=self._model_id)
        extra: dict[str, Any] = {"simulated": True}
        if path == "/api/v0/chat/completions":
            extra["runtime"] = {"name": "simulated-runtime", "version": "1", "supported_formats": ["gguf"]}
        return ChatWriter(
            profile.style,
            profile.errors,
            asked,
            answer,
            answer_id=request.request_id,
            model=self._model_id,
            created=self._created,
            prompt_tokens=request.prompt_tokens,
            extra=extra,
        )

    def _let_go(self, request_id: str, why: str) -> None:
        if why == "client_gone":
            self._truth.faults[why] += 1
        self._live.abort(request_id)

    def _done(self, finished: Finished, number: int, answer: Answer) -> Spent:
        noted = self._truth.note(finished, number, answer.verdict)
        return Spent(
            prompt_tokens=noted.prompt_tokens,
            completion_tokens=noted.completion_tokens,
            cached_tokens=noted.cached_tokens,
            prefill_ns=noted.t_first_ns - noted.t_arrival_ns,
            decode_ns=noted.t_end_ns - noted.t_first_ns,
        )


def _refused(fault: Fault) -> Refusal:
    headers = {} if fault.retry_after_s is None else {"Retry-After": f"{fault.retry_after_s:g}"}
    words = "too many requests" if fault.status == 429 else "the server is not available"
    return Refusal(fault.status, f"{words}: a fault of the simulation", headers)
