"""Currencies by their signs, codes and names, and by the nation in front of `dollars`."""

from functools import cache
from typing import Final

from elcano.text.unit_names import LANGUAGES, parse_table

_BY_CURRENCY: Final = parse_table("""
USD $ us$ usd dollar dollars dólares dollari dólar dolar доллар доллара долларов 美元 달러 ドル ดอลลาร์;
EUR € eur euro euros avro eura eurot ユーロ 유로 欧元 евро ยูโร; GBP £ gbp pound-sterling;
JPY ¥ ￥ jpy yen 円 日元 엔 เยน; CNY cny rmb cn¥ yuan 元; CHF chf franken; KRW krw won ₩ 원;
INR inr ₹ rs rupee rupees rupien roupies rupias; RUB rub ₽ \u0440\u0443\u0431 рубль рубля рублей;
TRY try ₺ lira liras\u0131 tl; BRL brl r$ reais real; CAD cad c$ ca$ can$; AUD aud a$ au$; NZD nzd nz$; HKD hkd hk$;
SGD sgd s$ sg$; TWD twd nt$; MXN mxn mx$; PLN pln zł złoty złote złotych; SEK sek kronor; NOK nok; DKK dkk;
THB thb ฿ baht บาท 泰铢; ZAR zar rand;
CENT ¢ cent cents eurocent eurocents centavo centavos céntimo céntimos centime centimes centesimi; PENNY penny pence
""")
CURRENCY_OF_NATION: Final = parse_table("""
CAD canadian kanadische canadiens canadienses; AUD australian australische australiens australianos; NZD new_zealand;
HKD hong_kong; SGD singapore; USD us u.s. american
""")
"""By the word of a nation before `dollars`."""


def parse_currency(written: str) -> str:
    """The code of a currency that is written so; empty if it is none."""
    return _BY_CURRENCY.get(written.strip().lower(), "")


@cache
def load_currency_names() -> dict[str, str]:
    """Names of currencies that say whose they are, such as `mexican pesos`, in lower case, with the code of each."""
    from babel import Locale
    from babel.numbers import get_currency_name

    names: dict[str, str] = {}
    for language in LANGUAGES:
        locale = Locale(language)
        for code in map(str, locale.currencies):
            for count in (None, 1, 2, 5):
                name = get_currency_name(code, count, locale).casefold()
                if " " in name and "(" not in name:
                    names.setdefault(name, code)
    return names


@cache
def load_nations() -> frozenset[str]:
    """The first words of these names."""
    return frozenset(name.partition(" ")[0] for name in load_currency_names())
