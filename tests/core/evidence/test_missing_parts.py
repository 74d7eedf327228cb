"""What a copy of a repository's files does not have, told to people."""

from caseworker.core.evidence.missing_parts import MissingPart, TreeEntry, missing_parts, missing_parts_words

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


def test_submodules_pointers_and_links_that_lead_out_are_found() -> None:
    entries = [
        TreeEntry(mode="160000", path="vendor/toml-test"),
        TreeEntry(mode="100644", path="tests/data/big.bin", text=POINTER),
        TreeEntry(mode="100644", path="docs/lfs.md", text="It is version https://git-lfs.github.com/spec/v1\n"),
        TreeEntry(mode="120000", path="tests/current", text="../src/shop"),
        TreeEntry(mode="120000", path="tests/shared", text="../../shared/tests"),
        TreeEntry(mode="120000", path="config", text="/etc/shop.toml"),
    ]
    assert [(part.kind, part.path) for part in missing_parts(entries)] == [
        ("submodule", "vendor/toml-test"),
        ("lfs", "tests/data/big.bin"),
        ("link", "tests/shared"),
        ("link", "config"),
    ]


def test_a_person_reads_what_is_missing_and_what_to_do_with_tests_first() -> None:
    parts = [MissingPart(kind="lfs", path=f"art/{n}.png") for n in range(5)]
    parts += [MissingPart(kind="lfs", path="tests/face.png"), MissingPart(kind="submodule", path="vendor/toml-test")]
    assert missing_parts_words(parts) == [
        "Submodules are not there: `vendor/toml-test`. `git submodule update --init --recursive` in your checkout "
        "brings them to the next case; without a checkout, leave tests that need them out of `[commands] test`.",
        "Files in Git LFS are there as pointers only: `tests/face.png`, `art/0.png`, `art/1.png`, `art/2.png`, "
        "`art/3.png` and 1 more. `git lfs pull` in your checkout brings them to the next case; without a checkout, "
        "leave tests that read them out of `[commands] test`.",
    ]
