"""The language of a reply."""

from __future__ import annotations

import json
import sys

import pytest

from joulemark.record.errors import InputError
from joulemark.tasks.instructions import followed, missing_requirement, parse_instructions

LANGUAGE = "language:response_language"
# The 22 languages that the published prompts ask for.
TEXTS = {
    "ar": "يجب أن أذهب اليوم إلى السوق لشراء الفواكه والخضروات.",
    "bg": "Днес трябва да отида на пазара и да купя плодове. Времето е много хубаво.",
    "bn": "আজ আমাকে বাজারে যেতে হবে এবং কিছু ফল কিনতে হবে।",
    "de": "Heute muss ich auf den Markt gehen und Obst kaufen.",
    "fa": "امروز باید به بازار بروم و میوه بخرم. هوا خیلی خوب است.",
    "fi": "Tänään minun täytyy mennä torille ostamaan hedelmiä.",
    "gu": "મારે આજે બજારમાં જવું છે",
    "hi": "मुझे आज बाज़ार जाना है और वहाँ से कुछ फल और सब्ज़ियाँ खरीदनी हैं।",
    "it": "Oggi devo andare al mercato a comprare frutta e verdura. Il tempo è molto bello.",
    "kn": "ನಾನು ಇಂದು ಮಾರುಕಟ್ಟೆಗೆ ಹೋಗಬೇಕು",
    "ko": "오늘은 시장에 가서 과일을 사야 합니다.",
    "mr": "मला आज बाजारात जायचे आहे आणि तिथून काही फळे आणि भाज्या विकत घ्यायच्या आहेत.",
    "ne": "मलाई आज बजार जानु छ र त्यहाँबाट केही फलफूल र तरकारी किन्नु छ।",
    "pa": "ਮੈਨੂੰ ਅੱਜ ਬਾਜ਼ਾਰ ਜਾਣਾ ਹੈ",
    "pt": "Hoje eu preciso ir ao mercado comprar frutas e legumes. O tempo está muito bom.",
    "ru": "Сегодня мне нужно пойти на рынок и купить фрукты.",
    "sw": "Leo ninahitaji kwenda sokoni kununua matunda na mboga. Hali ya hewa ni nzuri sana.",
    "ta": "நான் இன்று சந்தைக்கு செல்ல வேண்டும்",
    "te": "నేను ఈరోజు మార్కెట్‌కి వెళ్ళాలి",
    "th": "วันนี้ฉันต้องไปตลาดเพื่อซื้อผลไม้",
    "ur": "مجھے آج بازار جانا ہے اور وہاں سے کچھ پھل خریدنے ہیں۔ موسم بہت اچھا ہے۔",
    "vi": "Hôm nay tôi phải đi chợ và mua một ít trái cây và rau.",
}
ENGLISH = "Today I need to go to the market and buy some fruit."


def is_in(language: str, reply: str) -> bool:
    gold = json.dumps([{"id": LANGUAGE, "kwargs": {"language": language}}])
    return followed(parse_instructions(gold), reply) == (True,)


@pytest.mark.parametrize("language", TEXTS)
def test_the_language_asked_for_follows_and_english_does_not(language: str) -> None:
    pytest.importorskip("py3langid")
    assert is_in(language, TEXTS[language])
    assert is_in(language, f"**{TEXTS[language]}**\n\n1. {TEXTS[language]}")
    assert not is_in(language, ENGLISH)


def test_a_variety_is_its_language() -> None:
    pytest.importorskip("py3langid")
    assert is_in("en-GB", ENGLISH)


def test_a_reply_without_letters_is_in_no_language() -> None:
    pytest.importorskip("py3langid")
    assert not is_in("hi", "1 + 1 = 2")


def test_without_the_detector_nothing_is_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py3langid", None)
    assert missing_requirement(["punctuation:no_comma"]) is None
    reason = missing_requirement(iter(["punctuation:no_comma", LANGUAGE]))
    assert reason is not None
    assert "py3langid" in reason
    with pytest.raises(InputError) as caught:
        is_in("de", TEXTS["de"])
    assert "joulemark[tasks]" in caught.value.fix


def test_with_the_detector_nothing_is_missing() -> None:
    pytest.importorskip("py3langid")
    assert missing_requirement([LANGUAGE]) is None
