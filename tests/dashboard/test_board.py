"""The board in a browser: every case in a row, filters in the address, and rows that come by themselves."""

from caseworker.store.store import Store
from tests.dashboard.visitor import Visitor
from tests.edges.store_examples import open_bug, open_case


async def test_every_case_is_a_row_with_its_state_in_words(visitor: Visitor, store: Store) -> None:
    case = await open_case(store, "Checkout is broken")
    bug = await open_bug(store)
    board = await visitor.sees("/")
    assert 'href="/cases/local/shop~1"' in board
    assert f'href="/cases/{bug}"' in board
    assert "Checkout is broken" in board
    assert case in board
    assert "received" in board


async def test_filters_are_in_the_address(visitor: Visitor, store: Store) -> None:
    await open_case(store, "Checkout is broken")
    await open_bug(store)
    assert "Checkout is broken" not in await visitor.sees("/?kind=bug")
    assert "Checkout is broken" in await visitor.sees("/?kind=issue&group=working&text=CHECKOUT&repository=local/shop")
    assert "No case fits this filter" in await visitor.sees("/?text=100%25")


async def test_a_wrong_filter_in_an_old_bookmark_is_left_out(visitor: Visitor, store: Store) -> None:
    await open_case(store, "Checkout is broken")
    assert "Checkout is broken" in await visitor.sees("/?kind=unknown&page=-4")


async def test_without_cases_it_says_how_to_begin(visitor: Visitor) -> None:
    assert "There are no cases yet." in await visitor.sees("/")
