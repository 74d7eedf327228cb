"""The rules of ecosystems that need few words: Rust, Go, Java and Kotlin, Ruby, PHP, .NET, Elixir, Deno."""

import json
import re
from typing import Final

from caseworker.core.ecosystems.plan_parts import Ecosystem, Files, Wanted, named, set_up, test
from caseworker.core.ecosystems.python_needs import read_toml


def find_rust(files: Files) -> Ecosystem | None:
    if "Cargo.toml" not in files:
        return None
    # A Python package with a part in Rust is built and tested by Python's tools.
    if "maturin" in files.get("pyproject.toml", "") or "setuptools-rust" in files.get("pyproject.toml", ""):
        return None
    tables = read_toml(files["Cargo.toml"])
    package = tables.get("package", {})
    version = str(package.get("rust-version", "")) if isinstance(package, dict) else ""
    members = " --workspace" if "workspace" in tables else ""
    needs_network = any("dependencies" in name for name in tables) or "workspace" in tables
    fetch = f"cargo fetch{' --locked' if 'Cargo.lock' in files else ''}"
    return Ecosystem(
        name="Rust",
        because=named(files, "Cargo.toml", "Cargo.lock"),
        commands=(*(set_up(fetch) if needs_network else ()), *test(f"cargo test{members}")),
        wanted=(Wanted(name="cargo", versions=f">={version}" if version else "", because="Cargo.toml"),),
    )


def find_go(files: Files) -> Ecosystem | None:
    if "go.mod" not in files:
        return None
    said = re.search(r"^go (\d+\.\d+)", files["go.mod"], re.MULTILINE)
    fetch = set_up("go mod download") if re.search(r"^require\b", files["go.mod"], re.MULTILINE) else ()
    wanted = Wanted(name="go", versions=f">={said[1]}" if said else "", because="go.mod")
    return Ecosystem(
        name="Go", because=named(files, "go.mod", "go.sum"), commands=(*fetch, *test("go test ./...")), wanted=(wanted,)
    )


def _without(*folders: str) -> str:
    """Removes what was compiled during set-up: what it leaves behind is read-only later, and tests write there."""
    names = " -o ".join(f"-name {name}" for name in folders)
    return f"find . -type d \\( {names} \\) -prune -exec rm -rf {{}} +"


_JAVA_TEST: Final = re.compile(r"(Test\w+|\w+Tests?)\.(?:java|kt)")
_MAVEN_SETTINGS: Final = '"$CASEWORKER_ENV/maven.xml"'
_MAVEN_MIRROR: Final = (
    "printf '<settings><mirrors>%s</mirrors></settings>' "
    '${CASEWORKER_MAVEN_MIRROR:+"<mirror><id>central</id><mirrorOf>*</mirrorOf><url>$CASEWORKER_MAVEN_MIRROR</url>'
    f'</mirror>"}} > {_MAVEN_SETTINGS}'
)
"""Maven reads a mirror from a file only. It has the name of the default repository: offline, Maven uses what was
fetched under the same name."""


def find_maven(files: Files) -> Ecosystem | None:
    if "pom.xml" not in files:
        return None
    program = "./mvnw" if "mvnw" in files else "mvn"
    # What Surefire runs tests with is only fetched when it has a test to run: one class is enough.
    names = (path.rpartition("/")[2] for path in files if "/src/test/" in f"/{path}")
    one = next((found[1] for name in names if (found := _JAVA_TEST.fullmatch(name)) is not None), "NoSuchTest")
    only = f"-Dtest={one} -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false -Dmaven.test.failure.ignore"
    fetch = f"{_MAVEN_MIRROR} && {program} -q -B -s {_MAVEN_SETTINGS} {only} test"
    fetch += f" && {_without('target')}"
    wanted = (
        Wanted(name="java", because="pom.xml"),
        *(() if "mvnw" in files else (Wanted(name="mvn", because="pom.xml"),)),
    )
    return Ecosystem(
        name="Java", because="pom.xml", commands=(*set_up(fetch), *test(f"{program} -q -B -o test")), wanted=wanted
    )


def find_gradle(files: Files) -> Ecosystem | None:
    build = named(files, "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
    if not build:
        return None
    program = "./gradlew" if "gradlew" in files else "gradle"
    fetch = f"GRADLE_USER_HOME=$CASEWORKER_ENV/gradle {program} --no-daemon -q testClasses"
    fetch += f" && {_without('build', '.gradle')}"
    # Gradle writes locks into its home, also offline.
    run = (
        f"cp -r $CASEWORKER_ENV/gradle /tmp/gradle && GRADLE_USER_HOME=/tmp/gradle {program} --no-daemon --offline test"
    )
    wanted = (
        Wanted(name="java", because=build),
        *(() if "gradlew" in files else (Wanted(name="gradle", because=build),)),
    )
    return Ecosystem(name="Java or Kotlin", because=build, commands=(*set_up(fetch), *test(run)), wanted=wanted)


def find_ruby(files: Files) -> Ecosystem | None:
    prefix = "bundle exec " if "Gemfile" in files else ""
    if any(path.startswith("spec/") and path.endswith("_spec.rb") for path in files):
        line = f"{prefix}rspec"
    elif re.search(r"TestTask|task\s{0,20}\(?\s{0,20}[:\"']test\b", files.get("Rakefile", "")):
        line = f"{prefix}rake test"
    else:
        return None
    wanted = Wanted(name="bundle" if prefix else "ruby", because=named(files, "Gemfile", "Rakefile"))
    steps = set_up("bundle install --quiet") if prefix else ()
    because = named(files, "Gemfile", "Gemfile.lock", "Rakefile") or "spec/"
    return Ecosystem(name="Ruby", because=because, commands=(*steps, *test(line)), wanted=(wanted,))


def find_php(files: Files) -> Ecosystem | None:
    try:
        composer = json.loads(files.get("composer.json", "{}"))
    except (ValueError, RecursionError):
        composer = {}
    scripts = composer.get("scripts") if isinstance(composer, dict) else None
    if isinstance(scripts, dict) and "test" in scripts:
        line = "composer test"
    elif "phpunit.xml" in files or "phpunit.xml.dist" in files:
        line = "vendor/bin/phpunit" if "phpunit" in files.get("composer.json", "") else "phpunit"
    else:
        return None
    steps = set_up("composer install --no-interaction --no-progress") if "composer.json" in files else ()
    because = named(files, "composer.json", "composer.lock", "phpunit.xml", "phpunit.xml.dist")
    tools = (Wanted(name="php", because=because), *((Wanted(name="composer", because=because),) if steps else ()))
    return Ecosystem(name="PHP", because=because, commands=(*steps, *test(line)), wanted=tools)


def find_dotnet(files: Files) -> Ecosystem | None:
    projects = [path for path in files if "/" not in path and path.endswith((".sln", ".csproj", ".slnx"))]
    if not projects:
        return None
    wanted = Wanted(name="dotnet", because=projects[0])
    commands = (*set_up("dotnet restore"), *test("dotnet test --no-restore"))
    return Ecosystem(name=".NET", because=projects[0], commands=commands, wanted=(wanted,))


def find_elixir(files: Files) -> Ecosystem | None:
    if "mix.exs" not in files:
        return None
    steps = (
        set_up("mix local.hex --force --if-missing && mix local.rebar --force --if-missing && mix deps.get")
        if re.search(r"^[^#\n]*\{:", files["mix.exs"], re.MULTILINE)
        else ()
    )
    return Ecosystem(
        name="Elixir",
        because=named(files, "mix.exs", "mix.lock"),
        commands=(*steps, *test("mix test")),
        wanted=(Wanted(name="mix", because="mix.exs"),),
    )


def find_deno(files: Files) -> Ecosystem | None:
    name = named(files, "deno.json", "deno.jsonc")
    if not name:
        return None
    has_tasks = re.search(r'"test"\s{0,9}:', files.get("deno.json", "") + files.get("deno.jsonc", ""))
    lines = test("deno task test" if has_tasks else "deno test")
    # Deno reads the name of this variable in capital letters only.
    install = 'env ${npm_config_registry:+NPM_CONFIG_REGISTRY="$npm_config_registry"} deno install'
    steps = set_up(install) if "imports" in files.get("deno.json", "") + files.get("deno.jsonc", "") else ()
    return Ecosystem(name="Deno", because=name, commands=(*steps, *lines), wanted=(Wanted(name="deno", because=name),))
