"""What is read from a report without a model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.base.policy import Service, Severity
from caseworker.core.bug.reports import TITLE_LIMIT, UNTITLED, read_report, title_of

SERVICES = {
    "checkout": Service(aliases=("basket", "cart page"), owners=("ada",)),
    "payment-api": Service(aliases=("PSP",), owners=("grace", "ada")),
    "pay": Service(),
}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "something is broken",
        "checkout is broken",
        "Checkout is broken!!! Please help",
        "it does not work",
        "I get an error",
        "the cart is weird, let me know if you need more",
        "hi everyone, the search is slow",
        "Could somebody have a look at the login page, it is down",
        'the "Pay" button and the "Cart" page look odd',
        "there is a terror of a bug in billing",
        "since nothing works any more we are unhappy",
    ],
)
def test_a_report_that_names_nothing_is_vague(text: str) -> None:
    reading = read_report(text, SERVICES)
    assert reading.vague
    assert reading.found == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("since 9:40 order 1182 ends in Error 500 when I click pay", "error text, steps, identifier, time window"),
        ("it throws a KeyError", "error text"),
        ("java.lang.NullPointerException all over the log", "error text"),
        ("the API returns 503", "error text"),
        ("we are getting 500s", "error text"),
        ("HTTP 404", "error text"),
        ("error: connection refused", "error text"),
        ("the import failed with a dialog", "error text"),
        ("the page says “Your card was declined”", "error text"),
        ("a box with `cart is empty` opens", "error text"),
        ('Traceback (most recent call last):\n  File "a", line 3', "error text"),
        ("the search times out", "error text"),
        ("ECONNREFUSED", "error text"),
        ("1. open the cart\n2. remove the last item", "steps"),
        ("- open the cart\n- remove the last item", "steps"),
        ("Steps to reproduce: sorry, none", "steps"),
        ("when I save, nothing happens", "steps"),
        ("after clicking save it hangs", "steps"),
        ("it hangs if we add two of them", "steps"),
        ("Settings -> Billing is empty", "steps"),
        ("order 1182 is gone", "identifier"),
        ("Invoice no. 77 is wrong", "identifier"),
        ("see #123", "identifier"),
        ("it is 123e4567-e89b-12d3-a456-426614174000", "identifier"),
        ("ada@example.org can't get in", "identifier"),
        ("https://shop.example/cart looks odd", "identifier"),
        ("/checkout/confirm looks odd", "identifier"),
        ("shop/cart.py has a bug", "identifier"),
        ("broken in v2", "identifier"),
        ("broken in 1.4.2", "identifier"),
        ("ABC-123 looks odd", "identifier"),
        ("commit 8f3c2ab broke it", "identifier"),
        ("slow since yesterday", "time window"),
        ("slow since 9", "time window"),
        ("slow since Monday", "time window"),
        ("slow for two hours", "time window"),
        ("slow for the last two hours", "time window"),
        ("slow since last night", "time window"),
        ("slow since the last deploy", "time window"),
        ("slow on 2 May", "time window"),
        ("slow on 2026-05-02", "time window"),
        ("slow from 3 pm", "time window"),
        ("it began ten minutes ago", "time window"),
    ],
)
def test_a_report_that_names_something_is_not_vague(text: str, found: str) -> None:
    reading = read_report(text, {})
    assert ", ".join(reading.found) == found
    assert not reading.vague


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("There is an outage", "P0"),
        ("the site is down", "P0"),
        ("payments are completely down", "P0"),
        ("it fails for everyone", "P0"),
        ("all our users see it", "P0"),
        ("nobody can log in", "P0"),
        ("we have data loss", "P0"),
        ("I see other customers' orders", "P0"),
        ("a security hole in the upload", "P0"),
        ("checkout is broken", "P1"),
        ("Login does not work", "P1"),
        ("I cannot log in", "P1"),
        ("we're blocked", "P1"),
        ("many customers complain", "P1"),
        ("this is urgent, there is a typo in the contract", "P1"),
        ("she was charged twice", "P1"),
        ("something is broken", "P2"),
        ("", "P2"),
        ("the report is empty", "P2"),
        ("hi everyone, the report is empty", "P2"),
        ("the report is empty, no data loss", "P2"),
        ("a typo in the footer", "P3"),
        ("cosmetic: the logo is cut off", "P3"),
        ("not urgent: the logo is cut off", "P3"),
        ("P3, but everyone sees it", "P3"),
        ("sev1: a typo", "P1"),
        ("Severity: 0", "P0"),
        ("typo, p1", "P1"),
        ("P2 or rather P1", "P1"),
        ("not a P0, the report is empty", "P2"),
        ("MP3 files are cut off", "P2"),
    ],
)
def test_the_severity_follows_from_the_words_of_the_report(text: str, severity: str) -> None:
    assert read_report(text, {}).severity is Severity(severity)


@pytest.mark.parametrize(
    ("text", "services", "owners"),
    [
        ("Checkout is broken", ("checkout",), ("ada",)),
        ("the BASKET is empty", ("checkout",), ("ada",)),
        ("the cart  page is empty", ("checkout",), ("ada",)),
        ("checkouts and rebasket are other words", (), ()),
        ("pay-roll is another word, so is pre-pay", (), ()),
        ("payment api and checkout", ("payment-api", "checkout"), ("grace", "ada")),
        ("checkout, then payment_api", ("checkout", "payment-api"), ("ada", "grace")),
        ("https://shop.example/checkout?x=1", ("checkout",), ("ada",)),
        ("I can't pay.", ("pay",), ()),
    ],
)
def test_services_are_found_by_name_and_alias_as_whole_words(
    text: str, services: tuple[str, ...], owners: tuple[str, ...]
) -> None:
    reading = read_report(text, SERVICES)
    assert (reading.services, reading.owners) == (services, owners)


def test_a_service_with_an_odd_name_is_harmless() -> None:
    odd = {"": Service(), "-": Service(aliases=("",)), "c++ (core)": Service(), "a.b": Service()}
    assert read_report("the c++ (core) fails, axb too", odd).services == ("c++ (core)",)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("checkout is broken", "checkout is broken"),
        ("\n\n  Hi all,\n\ncheckout is broken\nsince 9:40", "checkout is broken"),
        ("<@U02CW> *checkout* is _really_ `broken`", "checkout is really broken"),
        ("<!here> :fire: checkout is broken", "checkout is broken"),
        ("see <https://shop.example/cart|the cart> in <#C1|shop> &amp; weep", "see the cart in #shop & weep"),
        ("<https://shop.example/cart>", "https://shop.example/cart"),
        ("snake_case_name and other_name stay", "snake_case_name and other_name stay"),
        ("2 * 3 * 4 is wrong", "2 * 3 * 4 is wrong"),
        ("# Checkout\nis broken", "Checkout"),
        ("> quoted words", "quoted words"),
        ("check\u200bout is\u202e broken", "checkout is broken"),
        ("```\nKeyError\n```", "KeyError"),
        ("@caseworker: help", "help"),
        ("", UNTITLED),
        ("hello everyone!\n🔥 :fire:", UNTITLED),
    ],
)
def test_the_title_is_the_first_line_that_says_something(text: str, title: str) -> None:
    assert title_of(text) == title


def test_a_long_title_is_cut_at_a_word() -> None:
    assert title_of("the cart is empty " * 20) == "the cart is empty " * 6 + "the cart…"
    assert title_of("x" * 500) == "x" * 119 + "…"


@given(st.text())
def test_any_text_can_be_read_and_has_a_title(text: str) -> None:
    reading = read_report(text, SERVICES)
    assert reading.vague is (reading.found == ())
    title = title_of(text)
    assert 0 < len(title) <= TITLE_LIMIT
    assert "\n" not in title


@pytest.mark.parametrize("piece", ["a", "1", "a.", '"', "` ", "<", "*a", "the ", "1. a\n", "a-", "/a", ":a", "a@", " "])
def test_the_longest_report_is_read_quickly(piece: str) -> None:
    text = (piece * 64_000)[:64_000]
    assert read_report(text, SERVICES).severity is Severity.P2
    assert len(title_of(text)) <= TITLE_LIMIT
