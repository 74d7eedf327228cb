"""Texts about turns that find no free place among the developers at work."""


def deferred(most: int) -> str:
    return (
        f"No developer was free to measure it (at most {most} work at the same time): the diagnostic is deferred, and "
        "the investigation goes on without it."
    )


def no_place(most: int) -> str:
    at_work = f"All {most} developers are" if most > 1 else "The only developer is"
    return f"{at_work} at work; it waits for its turn. CASEWORKER_DEVELOPERS raises the number."
