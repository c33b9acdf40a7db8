"""From library data to trees of meaning: the inverse of `meaning`, for what can be said in one plain way.

What a hand wrote otherwise than a sentence would give has no tree: `Unraised`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from rules.wording.alike import normal
from rules.wording.grammar import Tree
from rules.wording.lexicon import SUBJECT, Lexicon, Verb
from rules.wording.meaning.nouns import SOMEBODYS, conjuncts
from rules.wording.meaning.spans import cancelling

NOTHING: Tree = ("list",)


class Unraised(ValueError):
    """No tree gives this."""


def trees(lexicon: Lexicon, entry: dict[str, Any]) -> Iterator[Tree]:
    """Trees that may mean an entry of a card; whoever takes one reads it again. Raises Unraised."""
    entry = normal(entry)
    if set(entry) == {"attaches-to"}:
        yield ("attach", ("some", Raiser(lexicon).filter(entry["attaches-to"])))
    elif set(entry) == {"always"}:
        yield from _always(lexicon, entry["always"])
    elif set(entry) == {"cannot"} and len(entry["cannot"]) == 1:
        yield from _cannot(lexicon, entry["cannot"][0])
    elif set(entry) == {"abilities"} and len(entry["abilities"]) == 1:
        yield from _ability(lexicon, entry["abilities"][0])
    else:
        raise Unraised("several things at once")


class Raiser:
    """One ability on its way back: which names were chosen, and how they are spoken of."""

    def __init__(self, lexicon: Lexicon, of: str = "", choose: dict[str, Any] | None = None) -> None:
        self.lexicon = lexicon
        self.of = of
        self.choose = dict(choose or {})
        self.plural = False  # what changes is spoken of as several
        self.spoken: set[str] = set()
        self.nouns: dict[str, str] = {}
        self._traits = {test: word for word, test in reversed(list(lexicon.traits.items()))}
        self._nouns: dict[str, str] = {}
        for word, noun in reversed(list(lexicon.nouns.items())):
            if noun.noun:
                self._nouns[noun.noun] = word
        self._tests = {noun.test: word for word, noun in reversed(list(lexicon.nouns.items())) if noun.test}
        self._stats = {
            re.sub(r"\bit\b", SUBJECT, str(entry["value"])): word.replace(" ", "~")
            for word, entry in lexicon.stats.items()
        }

    # --- noun groups

    def filter(self, text: str) -> Tree:
        """`character where ..` as a noun group."""
        head, _, where = str(text).partition(" where ")
        if " as " in head:
            raise Unraised(text)
        tests = [self.subject(test) for test in conjuncts(where)] if where else []
        tests = [test for test in tests if test != SOMEBODYS]
        if head == "card":
            return self.group_anywhere(tests)
        return ("n", self._noun(head, tests), *self._modifiers(tests))

    def group_anywhere(self, tests: Sequence[str]) -> Tree:
        rest = list(tests)
        noun = next(
            (self._tests[test] for test in rest if test in self._tests and test not in self._traits), None
        )
        if noun is None:
            noun = self._nouns[self.lexicon.data["everything"]]
        else:
            rest.remove(next(test for test in rest if self._tests.get(test) == noun))
        return ("n", noun, *self._modifiers(rest))

    def _noun(self, head: str, tests: list[str]) -> str:
        if head not in self._nouns:
            raise Unraised(f"noun {head}")
        return self._nouns[head]

    def subject(self, test: str) -> str:
        """A condition of a filter, with `§` for the card."""
        facts = self.lexicon.system.facts
        if re.match(r"(any|none|count)\(", test):
            raise Unraised(test)
        test = re.sub(r"\bit\.", f"{SUBJECT}.", test)
        test = re.sub(r"(?<![\w.'§-])it(?![\w.'-])", SUBJECT, test)
        return re.sub(
            r"(?<![\w.'§-])([a-z][\w-]*)(?![\w'(-])",
            lambda m: (
                f"{SUBJECT}.{m.group()}"
                if m.group() in facts and m.group() not in ("you", "phase")
                else m.group()
            ),
            test,
        )

    def _modifiers(self, tests: Sequence[str]) -> tuple[Tree, Tree]:
        adjectives: list[Tree] = []
        posts: list[Tree] = []
        zone = next(
            (m[1] for test in tests if (m := re.fullmatch(rf"{SUBJECT}\.zone = '([\w-]+)'", test))), None
        )
        tests = [test for test in tests if test != f"{SUBJECT}.zone = 'play'"]
        zone = None if zone == "play" else zone
        if zone and zone not in self.lexicon.data["zones"].values():
            raise Unraised(f"zone {zone}")
        for test in tests:
            if zone and re.fullmatch(rf"{SUBJECT}\.(zone|owner)\b.*", test):
                continue
            if word := self._adjective(test):
                adjectives.append(word)
            else:
                posts.append(self.post(test))
        if zone:
            zones = {str(name): word for word, name in reversed(list(self.lexicon.data["zones"].items()))}
            whose = [test for test in tests if f"{SUBJECT}.owner" in test]
            owner: Tree = (
                ("you",)
                if whose == [f"{SUBJECT}.owner = you"]
                else ("anybody",)
                if not whose
                else ("opponent",)
            )
            posts.append(("place", owner, zones[zone].replace(" ", "~")))
        return ("list", *adjectives), ("list", *posts)

    def _adjective(self, test: str) -> Tree | None:
        keywords = {
            word.replace(" ", "~")
            for word in (*self.lexicon.keywords, *(f"{i} icon" for i in self.lexicon.icons))
        }
        if (word := self._traits.get(test)) and word not in keywords:
            return ("word", word)
        for positive in (
            test.removeprefix("not ").removeprefix("(").removesuffix(")"),
            test.replace(" != ", " = "),
        ):
            if positive != test and (word := self._traits.get(positive)) and word not in keywords:
                return ("not", ("word", word))
        parts = test.removeprefix("(").removesuffix(")").split(" or ")
        if len(parts) in (2, 3) and all(part in self._traits for part in parts):
            return ("or", *(("word", self._traits[part]) for part in parts))
        return None

    def post(self, test: str) -> Tree:
        """A condition as what follows a noun. Raises Unraised."""
        if test == f"{SUBJECT}.controller = you":
            return ("controlled", ("you",))
        if test == f"{SUBJECT}.controller != you":
            return ("controlled", ("opponent",))
        if test in self._traits:
            return ("word", self._traits[test])
        if test == f"{SUBJECT} != this":
            return ("but", ("self",))
        for head, sign in (("at-most", "<="), ("at-least", ">="), ("exactly", "=")):
            value, _, amount = test.partition(f" {sign} ")
            if value in self._stats and amount.isdigit():
                return (head, self._stats[value], ("num", amount))
        story = self.lexicon.data.get("story", {}).get("fact")
        if story and test == f"{SUBJECT}.{story} != nothing":
            return ("committed",)
        stood = self.lexicon.data.get("story", {}).get("stood")
        either = rf"\(?{SUBJECT}\.{story} = (.+) or {SUBJECT}\.{stood} = \1\)?"
        if story and stood and (m := re.fullmatch(either, test)):
            return ("at", self._story(m[1], story))
        if story and (m := re.fullmatch(rf"{SUBJECT}\.{story} = (.+)", test)):
            return ("at", self._story(m[1], story))
        raise Unraised(test)

    def _story(self, expression: str, story: str) -> Tree:
        if expression == "trigger.at":
            return ("that-story",)
        if expression.endswith(f".{story}"):
            return ("story-of", self.ref(expression.removesuffix(f".{story}")))
        raise Unraised(expression)

    # --- things and players

    def ref(self, expression: str) -> Tree:
        if expression == "this":
            return ("self",)
        if expression == "this.host":
            return ("host", self._host_noun())
        if expression in self.nouns:
            return ("that", self.nouns[expression])
        if expression.startswith("trigger."):
            return ("it",)
        raise Unraised(expression)

    def _host_noun(self) -> str:
        return next(iter(self.lexicon.nouns))

    def who(self, expression: str) -> Tree:
        known = {"you": ("you",), "next(you)": ("opponent",), "it": ("everybody",)}
        if expression in known:
            return known[expression]
        if expression.endswith(".controller"):
            return ("controller", self.ref(expression.removesuffix(".controller")))
        raise Unraised(expression)

    def object(self, value: str, each: str | None) -> Tree:
        """What an occurrence is done to."""
        if value == "it" and each is not None:
            if m := re.fullmatch(r"card where it in ([\w-]+)", each):
                return self._chosen(m[1])
            return ("each", self.filter(each))
        if value in self.choose and value not in self.spoken:
            return self._chosen(value)
        return ("one", self.ref(value))

    def _chosen(self, name: str) -> Tree:
        choice = self.choose.get(name)
        if choice is None:
            raise Unraised(name)
        if name in self.spoken:
            return ("several", ("those", self.nouns[name]))
        self.spoken.add(name)
        if isinstance(choice, str):
            group = self.filter(choice)
            self.nouns[name] = group[1]
            return ("pick", group)
        group = self.filter(choice["from"])
        self.nouns[name] = group[1]
        count = str(choice.get("count", 1))
        if not count.isdigit():
            return ("any-number", group)
        return ("up-to", count, group) if choice.get("up-to") else ("picks", count, group)

    # --- deeds

    def deed(self, step: dict[str, Any]) -> tuple[Tree, Tree]:
        """`{do: ..}` as who does it and a verb."""
        for key, verb in self.lexicon.verbs.items():
            if verb.do == step["do"] and not verb.told_only and not verb.told and not verb.place:
                spoken, nouns = set(self.spoken), dict(self.nouns)
                try:
                    return self._as(key, verb, dict(step))
                except Unraised:
                    self.spoken, self.nouns = spoken, nouns
        raise Unraised(str(step.get("do")))

    def _as(self, key: str, verb: Verb, step: dict[str, Any]) -> tuple[Tree, Tree]:
        step.pop("do")
        each = step.pop("each", None)
        agent: Tree = ("you",)
        for role, value in verb.fixed.items():
            if step.pop(role, None) != value:
                raise Unraised(key)
        if verb.agent and "." not in verb.agent:
            agent = self.who(str(step.pop(verb.agent, "you")))
        if agent == ("everybody",) and each != "player":
            raise Unraised(key)
        phrases: list[Tree] = []
        for role in re.findall(r"\{([\w-]+)(?:'s)?\}", verb.says):
            if role == "amount":
                phrases.append(("amount", self.amount(step.pop("amount", 1))))
            elif f"{{{role}'s}}" in verb.says:
                phrases.append((role, self.who(str(step.pop(role)))))
            elif role in step:
                phrases.append((role, self.object(str(step.pop(role)), each)))
            else:
                raise Unraised(key)
        if set(step) - {"cite", "says"}:
            raise Unraised(f"{key}: {', '.join(step)}")
        subject = phrases.pop(0)[1] if verb.says.startswith("{") else None
        if subject is not None:
            raise Unraised(key)
        return agent, ("verb", key, *phrases)

    def amount(self, value: Any) -> Tree:
        text = str(value)
        if text.isdigit():
            return ("num", text)
        if m := re.fullmatch(r"count\((.+)\)", text):
            return ("times", "1", ("count", self.filter(m[1])))
        raise Unraised(text)

    def _given(self, step: dict[str, Any]) -> Tree | None:
        """`give control of ~ to an opponent`."""
        taken = next(
            (one for one in self.lexicon.verbs.values() if one.says == "take control of {card}"), None
        )
        if taken is None or taken.do != step["do"] or set(step) != {"do", "card", taken.agent}:
            return None
        to = str(step[taken.agent])
        if to in self.spoken or self.choose.get(to) != "player where it != you":
            return None
        self.spoken.add(to)
        return ("give-control", self.object(str(step["card"]), None), ("opponent",))

    def effect(self, step: dict[str, Any]) -> Tree:
        if "do" in step and (given := self._given(step)):
            return given
        if "do" in step:
            able = step.get("if-able")
            fresh = set(self.choose) - self.spoken
            agent, verb = self.deed({key: value for key, value in step.items() if key != "if-able"})
            chose = bool(fresh - (set(self.choose) - self.spoken))
            heads = {
                (False, False): "act",
                (True, False): "able",
                (False, True): "chosen",
                (True, True): "chosen-able",
            }
            return (heads[bool(able), chose], agent, verb)
        if "lasting" in step:
            lasting = step["lasting"]
            if "of" not in lasting:
                raise Unraised("whatever fits")
            if lasting["of"] in self.choose and lasting["of"] not in self.spoken:
                subject = self._chosen(lasting["of"])
                return ("lasting-pick", subject, self.changes([lasting], "gifts"), lasting["until"])
            subject = ("one", self.ref(lasting["of"]))
            return ("lasting", subject, self.changes([lasting]), lasting["until"])
        if set(step) == {"then"}:
            return ("then", ("list", *(self.effect(one) for one in step["then"])))
        if set(step) in ({"cancel"}, {"cancel", "amount"}):
            said = [w for w, kinds in self.lexicon.data.get("cancels", {}).items() if self.of in kinds]
            what = next((w for w in said if cancelling(w) == step), None)
            if what:
                return ("cancel", what)
        raise Unraised(str(next(iter(step))))

    # --- changes

    def changes(self, entries: Sequence[dict[str, Any]], form: str = "change") -> Tree:
        words = sorted(
            self.lexicon.data.get("falls", {}).items(),
            key=lambda one: one[0].startswith("are ") == self.plural,
        )
        falls = {fact: word for word, fact in words}
        falling = [falls[one["stat"]].replace(" ", "~") for one in entries if one["stat"] in falls]
        gifts = tuple(self.gift(entry) for entry in entries if entry["stat"] not in falls)
        if form == "gifts":
            if falling:
                raise Unraised(falling[0])
            return ("list", *gifts)
        said = [("gifts", ("list", *gifts))] if gifts else []
        return ("list", *said, *(("falls", word) for word in falling))

    def gift(self, entry: dict[str, Any]) -> Tree:
        stat = entry["stat"]
        if "by" in entry and re.fullmatch(r"-?\d+", str(entry["by"])):
            number = str(entry["by"])
            for word, known in self.lexicon.stats.items():
                if known.get("stat") == stat:
                    return ("add", word.replace(" ", "~"), number)
            for word, icon in self.lexicon.icons.items():
                if icon["stat"] == stat and int(number) > 0:
                    return ("icons", ("list", *([word.replace(" ", "~")] * int(number))))
        for word, known in self.lexicon.keywords.items():
            if known.get("stat") == stat and str(known.get("to")) == str(entry.get("to")):
                return ("keyword", word.replace(" ", "~"))
            if known.get("stat") == stat and "by" in known and "by" in entry:
                return ("keyword-by", word.replace(" ", "~"), str(entry["by"]))
        raise Unraised(stat)


def _always(lexicon: Lexicon, entries: Sequence[dict[str, Any]]) -> Iterator[Tree]:
    """Continuous changes of one subject."""
    first = entries[0]
    if any(one.get("of") != first.get("of") or one.get("while") != first.get("while") for one in entries):
        raise Unraised("several subjects")
    if any(set(one) - {"stat", "by", "to", "of", "while", "cite"} for one in entries):
        raise Unraised("a price")
    raiser = Raiser(lexicon)
    orders = {fact: word for word, fact in lexicon.data.get("standing-orders", {}).items()}
    if len(entries) == 1 and first["stat"] in orders and "while" in first:
        word = orders[first["stat"]].removesuffix(" ~").replace(" ", "~")
        yield ("ordered", word, condition_tree(raiser, str(first["while"])))
        return
    when: Tree = ("always",)
    if "while" in first:
        when = ("while", condition_tree(raiser, str(first["while"])))
    of = str(first.get("of", "it = this"))
    raiser.plural = of not in ("it = this", "it = this.host")
    changes = raiser.changes(entries)
    if of == "it = this":
        yield ("standing", ("one", ("self",)), changes, when)
    elif of == "it = this.host":
        for noun in lexicon.nouns:
            yield ("standing", ("one", ("host", noun)), changes, when)
    else:
        tests = [raiser.subject(test) for test in conjuncts(of) if "zone = 'play'" not in test]
        other = f"{SUBJECT} != this" in tests
        group = raiser.group_anywhere([test for test in tests if test != f"{SUBJECT} != this"])
        yield ("standing", ("each-other" if other else "each", group), changes, when)


def condition_tree(raiser: Raiser, test: str) -> Tree:
    """A condition on the table as a tree. Raises Unraised."""
    for word, known in raiser.lexicon.data.get("conditions", {}).items():
        if known == test:
            return ("fact", re.sub(r"[\s~]+", "~", word).strip("~"))
    if m := re.fullmatch(r"(not )?this\.([\w-]+)", test):
        found = raiser._adjective(f"{SUBJECT}.{m[2]}")
        if found:
            return ("is", ("self",), ("not", found) if m[1] else found)
    story = raiser.lexicon.data.get("story", {}).get("fact")
    if story and test == f"this.{story} != nothing":
        return ("is", ("self",), ("committed",))
    for word, path in raiser.lexicon.data.get("kept", {}).items():
        own = f"you.{path}"
        for form, who, than in (
            (f"none(player as p where p != you and p.{path} >= {own})", ("you",), ("opponents",)),
            (f"any(player as p where p != you and {own} > p.{path})", ("you",), ("opponent",)),
            (f"any(player as p where p != you and p.{path} > {own})", ("opponent",), ("you",)),
        ):
            if test == form:
                return ("keeps-more", who, word.replace(" ", "~"), than)
    if m := re.fullmatch(r"any\([\w-]+ as a where a\.[\w-]+ = this and a\.([\w-]+ = '[\w-]+')\)", test):
        noun = raiser._tests.get(f"{SUBJECT}.{m[1]}")
        if noun in raiser.lexicon.data.get("lying", ()):
            return ("is", ("self",), ("bears-a", ("n", noun, NOTHING, NOTHING)))
    if m := re.fullmatch(r"this\.([\w-]+) (=|<=|>=) (\d+)", test):
        return ("is", ("self",), raiser.post(f"{SUBJECT}.{m[1]} {m[2]} {m[3]}"))
    if m := re.fullmatch(r"(any|none)\((.+)\)", test):
        return (
            "there",
            ("at-least" if m[1] == "any" else "at-most", "1" if m[1] == "any" else "0", raiser.filter(m[2])),
        )
    raise Unraised(test)


def _cannot(lexicon: Lexicon, entry: dict[str, Any]) -> Iterator[Tree]:
    kind = entry["kind"]
    raiser = Raiser(lexicon)
    for key, verb in lexicon.verbs.items():
        roles = re.findall(r"\{([\w-]+)\}", verb.says)
        if verb.do == kind and not roles and verb.agent:
            told = [f"{role} = '{value}'" for role, value in verb.told.items()]
            for who, tree in (("= you", ("you",)), ("!= you", ("opponent",))):
                if sorted(conjuncts(str(entry.get("if", "yes")))) == sorted([*told, f"{verb.agent} {who}"]):
                    yield ("barred-player", tree, ("active", ("verb", key)), ("always",))
        if verb.do != kind or len(roles) != 1:
            continue
        role = roles[0]
        tests = conjuncts(str(entry.get("if", "yes")))
        if tests == [f"{role} = this"]:
            subject: Tree = ("one", ("self",))
        else:
            own = [re.sub(rf"\b{role}\b", SUBJECT, test) for test in tests if f"{role}.zone = 'play'" != test]
            try:
                subject = ("each", raiser.group_anywhere(own))
            except Unraised:
                continue
        if verb.says.startswith("{"):
            yield ("barred", subject, ("subject", ("verb", key, role)), ("always",))
        else:
            yield ("barred", subject, ("passive", ("verb", key, role)), ("always",))


def _ability(lexicon: Lexicon, data: dict[str, Any]) -> Iterator[Tree]:
    """A headed ability."""
    known = {
        "kind",
        "at",
        "of",
        "if",
        "because",
        "choose",
        "cost",
        "do",
        "limit",
        "cite",
        "zones",
        "name",
        "text",
    }
    if set(data) - known or not isinstance(data.get("of", ""), str):
        raise Unraised("an ability of another form")
    headings = [
        word
        for word, entry in lexicon.data.get("headings", {}).items()
        if entry["kind"] == data["kind"] and "of" not in entry
    ]
    if data["kind"] == lexicon.data.get("unheaded"):
        headings.append("unheaded")
    for heading in headings:
        for event in _events(lexicon, data):
            raiser = Raiser(lexicon, str(data.get("of", "")), data.get("choose"))
            if "of" in data and event[1][-1][0] in ("some", "some-of"):
                raiser.nouns[f"trigger.{event[1][1][2]}"] = event[1][-1][1][1]
            if data["do"] == [cancelling("all")] and "of" in data and "cost" in data:
                try:
                    _, costs, _ = _body(
                        Raiser(lexicon, str(data["of"]), data.get("choose")), {**data, "do": []}
                    )
                    yield ("preventing", heading.replace(" ", "~"), costs, event[1])
                except Unraised:
                    pass
            try:
                body = _body(raiser, data)
            except Unraised:
                continue
            manners: list[Tree] = []
            if limit := data.get("limit"):
                manners.append(("limit", str(limit.get("times", 1)), limit.get("per", "turn")))
            when: Tree = ("on", event) if "of" in data else ("free",)
            prelude = [("during", word.replace(" ", "~")) for word, test in lexicon.data.get("times", {}).items()
                       if "of" not in data and test == data.get("if")]  # fmt: skip
            yield ("headed", heading.replace(" ", "~"), ("list", *prelude[:1], *manners), when, body)


def _events(lexicon: Lexicon, data: dict[str, Any]) -> Iterator[Tree]:
    """What an ability answers."""
    if "of" not in data:
        yield ("after", ("none",))
        return
    would = data.get("at") in lexicon.data.get("would", {}).values()
    head = "would" if would else "after"
    tests = conjuncts(str(data["if"])) if "if" in data else []
    for word, moment in lexicon.data.get("moments", {}).items():
        if moment["of"] == data["of"] and moment.get("if", "") == data.get("if", ""):
            yield (head, ("moment", word.replace(" ", "~")))
    for key, verb in lexicon.verbs.items():
        if verb.do != data["of"]:
            continue
        yield from ((head, event) for event in _told(lexicon, key, verb, tests))


def _told(lexicon: Lexicon, key: str, verb: Verb, tests: list[str]) -> Iterator[Tree]:
    roles = re.findall(r"\{([\w-]+)\}", verb.says)
    tests = [
        test
        for test in tests
        if test not in [f"trigger.{role} = '{value}'" for role, value in verb.told.items()]
    ]
    tests = [
        test for test in tests if test not in [f"trigger.{r}.{fact} = you" for r, fact in verb.whose.items()]
    ]
    for role in roles:
        own = [re.sub(rf"\btrigger\.{role}\b", SUBJECT, test) for test in tests if f"trigger.{role}" in test]
        rest = [test for test in tests if f"trigger.{role}" not in test]
        party: Tree
        if own == [f"{SUBJECT} = this"]:
            party = ("one", ("self",))
        elif own == [f"{SUBJECT} = this.host"]:
            party = ("one", ("host", next(iter(lexicon.nouns))))
        else:
            try:
                party = ("some", Raiser(lexicon).group_anywhere(own))
            except (Unraised, KeyError):
                continue
        if verb.says.startswith("{") and not rest:
            yield ("subject", ("verb", key, role), party)
        elif not rest:
            yield ("passive", ("verb", key, role), party)
        agents: dict[str, Tree] = {
            f"trigger.{verb.agent} = you": ("you",),
            f"trigger.{verb.agent} != you": ("opponent",),
        }
        if verb.agent and len(rest) == 1 and rest[0] in agents:
            yield ("active", ("verb", key, (role, party)), agents[rest[0]])


def _body(raiser: Raiser, data: dict[str, Any]) -> Tree:
    costs: list[Tree] = []
    for cost in data.get("cost", ()):
        if "pay" in cost and cost["pay"] == raiser.lexicon.data["payment"]:
            costs.append(("pay", str(cost["amount"])))
        elif "do" in cost:
            costs.append(("spend", raiser.deed(dict(cost))[1]))
        else:
            raise Unraised("a cost")
    steps: list[Tree] = []
    lasting: list[dict[str, Any]] = []
    for step in data["do"]:
        one = step.get("lasting")
        if one and lasting and (lasting[0]["of"], lasting[0]["until"]) == (one["of"], one["until"]):
            lasting.append(one)
            steps[-1] = (
                *steps[-1][:2],
                raiser.changes(lasting, "gifts" if steps[-1][0] == "lasting-pick" else "change"),
                steps[-1][3],
            )
            continue
        lasting = [one] if one else []
        steps.append(raiser.effect(step))
    leftover = set(raiser.choose) - raiser.spoken
    if leftover:
        raise Unraised("a choice that nothing speaks of")
    effects: Tree = ("list", *steps)
    return ("for-cost", ("list", *costs), effects) if costs else ("free-of-cost", effects)
