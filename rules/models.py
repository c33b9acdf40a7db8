"""Disputes, the engine's answers, and judges' rulings."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from config.append_only import AppendOnly
from config.fields import JSONText
from config.jobs.model import Job


class Dispute(models.Model):
    """A situation two players disagree about, as a scenario (docs/scenarios.md), canonical and hashed.

    A dispute may stand alone ("ask the engine") or belong to a match; the latter link lives in `tournament`.
    """

    title = models.CharField(max_length=200)
    filed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="disputes")
    source = models.TextField(help_text="The scenario as it was written, word for word.")
    scenario = JSONText(help_text="The canonical form: defaults filled in, names normalised.")
    scenario_hash = models.CharField(max_length=64, db_index=True)
    found = JSONText(default=dict, help_text="Facts the judge found: place in the scenario -> reason.")
    table = models.ForeignKey(
        "Table",
        on_delete=models.SET_NULL,
        null=True,
        related_name="disputes",
        help_text="Where it was laid out.",
    )
    filed_at = models.DateTimeField()

    class Meta:
        ordering = ["-filed_at", "-pk"]


class Adjudication(Job):
    """One scenario put to the engine under one version of one system: job and result in one (docs/jobs.md)."""

    class Urgency(models.IntegerChoices):
        """Who waits for it, the sooner the smaller: a table of a running round, somebody, nobody."""

        ROUND = 0
        SOMEBODY = 1
        NOBODY = 2

    dispute = models.ForeignKey(Dispute, on_delete=models.CASCADE, related_name="adjudications")
    system = models.CharField(max_length=40)
    system_version = models.CharField(max_length=40)
    system_hash = models.CharField(max_length=64)
    scenario = JSONText()
    scenario_hash = models.CharField(max_length=64)
    budget = models.PositiveIntegerField(help_text="Positions the exploration may visit.")
    urgency = models.PositiveSmallIntegerField(choices=Urgency.choices, default=Urgency.SOMEBODY)
    positions = models.PositiveIntegerField(default=0, help_text="Progress: positions explored so far.")
    failure = models.TextField(blank=True, help_text="Why the run failed, for a person.")
    answer = models.JSONField(null=True)

    class Meta(Job.Meta):
        ordering = ["pk"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["dispute", "scenario_hash", "system_hash"],
                name="one_adjudication_per_scenario_and_system",
            ),
            models.CheckConstraint(
                condition=Q(state="done", answer__isnull=False) | (~Q(state="done") & Q(answer__isnull=True)),
                name="only_a_done_adjudication_has_an_answer",
            ),
            models.CheckConstraint(
                condition=~Q(state="failed") | ~Q(failure=""), name="failed_adjudication_says_why"
            ),
        ]
        indexes = [*Job.Meta.indexes, models.Index(fields=["scenario_hash", "system_hash"])]


class Ruling(AppendOnly):
    """What a judge decided, agreeing with the engine or not. Rows are final; a correction is a new row.

    Two things are independent. What it is worth at its event: `floor`, `appealed`, `final`; final stands even when
    wrong. Whether it is right: `precedent_status`, told by the newest of its marks. Its chain in the event is linear
    (`supersedes` with a decision or the judge's own correction), and so is that of the law.
    """

    class EventSide(models.TextChoices):
        """As it was given; `appealed` is told by its appeal. `none`: a correction of the law, given at no table."""

        FLOOR = "floor"
        APPEALED = "appealed"
        FINAL = "final"
        NONE = "none"

    class PrecedentStatus(models.TextChoices):
        UNVERIFIED = "unverified"
        VERIFIED = "verified"
        SUPERSEDED = "superseded"
        REVERSED = "reversed"

    class Change(models.TextChoices):
        """What it does to the ruling it supersedes: at the event (the judge's correction, the appeal's outcome), or
        in the law alone."""

        CORRECTED = "corrected"
        UPHELD = "upheld"
        OVERTURNED = "overturned"
        SUPERSEDED = "superseded"
        REVERSED = "reversed"

    AT_THE_EVENT = (Change.CORRECTED, Change.UPHELD, Change.OVERTURNED)
    IN_THE_LAW = (Change.SUPERSEDED, Change.REVERSED)

    dispute = models.ForeignKey(
        Dispute,
        on_delete=models.PROTECT,
        null=True,
        related_name="rulings",
        help_text="Empty: ruled at a table without asking the engine.",
    )
    adjudication = models.ForeignKey(
        Adjudication, on_delete=models.PROTECT, null=True, related_name="rulings"
    )
    judge = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="rulings")
    system = models.CharField(max_length=40, blank=True, help_text="The timing system ruled under.")
    question = models.CharField(max_length=200, blank=True)
    facts = models.JSONField(default=list, help_text="[{text, status: agreed | found | assumed}]")
    verdict = models.CharField(max_length=300)
    explanation = models.TextField(blank=True)
    remedy = models.CharField(max_length=300, blank=True, help_text="What was done to the game.")
    agrees = models.BooleanField(null=True, help_text="With the engine; empty when ruled without it.")
    citations = models.JSONField(
        default=list, help_text="[{system, rule, document, section, version, sentence, sentence_hash}]"
    )
    candidate = models.TextField(
        blank=True, help_text="Where the judge disagrees: the case as it was then, a file ready to commit."
    )
    form = models.CharField(
        max_length=64,
        blank=True,
        db_index=True,
        help_text="Of the situation, whoever plays it (rules.scenarios.likeness).",
    )
    happens = models.JSONField(default=list, help_text="What happened in the answer's line, without names.")
    words = models.TextField(blank=True, help_text="All that is said in it, folded, to be searched.")
    event_side = models.CharField(max_length=10, choices=EventSide.choices, default=EventSide.FLOOR)
    supersedes = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="successors")
    change = models.CharField(max_length=10, choices=Change.choices, blank=True)
    issued_at = models.DateTimeField()

    class Meta:
        ordering = ["-issued_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(agrees=False) | ~Q(explanation=""), name="disagreeing_ruling_says_why"
            ),
            models.CheckConstraint(
                condition=Q(adjudication__isnull=True, agrees__isnull=True)
                | Q(adjudication__isnull=False, agrees__isnull=False),
                name="a_ruling_agrees_with_an_answer_or_has_none",
            ),
            models.CheckConstraint(
                condition=Q(event_side__in=["floor", "final", "none"]), name="an_appeal_is_a_row_of_its_own"
            ),
            models.CheckConstraint(
                condition=Q(supersedes__isnull=True, change="") | Q(supersedes__isnull=False) & ~Q(change=""),
                name="what_supersedes_says_how",
            ),
            models.CheckConstraint(
                condition=Q(change__in=["superseded", "reversed"], event_side="none")
                | ~Q(change__in=["superseded", "reversed"]) & ~Q(event_side="none"),
                name="a_correction_of_the_law_is_given_at_no_table",
            ),
            models.UniqueConstraint(
                fields=["dispute"], condition=Q(event_side="final"), name="one_final_ruling_per_dispute"
            ),
            models.UniqueConstraint(
                fields=["supersedes"],
                condition=Q(change__in=["corrected", "upheld", "overturned"]),
                name="one_successor_at_the_event",
            ),
            models.UniqueConstraint(
                fields=["supersedes"],
                condition=Q(change__in=["superseded", "reversed"]),
                name="one_successor_in_the_law",
            ),
        ]

    @property
    def event_status(self) -> "Ruling.EventSide":
        """What it is worth at its event now."""
        if self.event_side == self.EventSide.FLOOR and hasattr(self, "appeal"):
            return self.EventSide.APPEALED
        return self.EventSide(self.event_side)

    @property
    def precedent_status(self) -> "Ruling.PrecedentStatus":
        """Whether it is right, as far as anybody has said."""
        marks = list(self.marks.all())
        return self.PrecedentStatus(marks[-1].side) if marks else self.PrecedentStatus.UNVERIFIED

    @property
    def decided(self) -> "Ruling | None":
        """What took its place at the event: the judge's correction, or the outcome of the appeal."""
        return next((one for one in self.successors.all() if one.change in self.AT_THE_EVENT), None)

    @property
    def righted(self) -> "Ruling | None":
        """What took its place in the law."""
        return next((one for one in self.successors.all() if one.change in self.IN_THE_LAW), None)


class RulingCard(models.Model):
    """A card that a ruling is about, by name."""

    ruling = models.ForeignKey(Ruling, on_delete=models.PROTECT, related_name="cards")
    name = models.CharField(max_length=120)
    fold = models.CharField(
        max_length=120, db_index=True, help_text="However case and punctuation are written."
    )

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["ruling", "fold"], name="a_ruling_names_a_card_once")]


class CardGroup(models.Model):
    """Cards that rulings treat alike: what is ruled about the group is found under each of them."""

    name = models.CharField(max_length=80, unique=True)
    cards = models.JSONField(default=list, help_text="Names.")
    folds = models.TextField(help_text="The names folded, between bars: |one|two|")
    rulings = models.ManyToManyField(Ruling, related_name="groups")
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]


class Appeal(AppendOnly):
    """A player of the match does not accept a floor ruling; once, and after it was given."""

    ruling = models.OneToOneField(Ruling, on_delete=models.PROTECT, related_name="appeal")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    words = models.CharField(max_length=500, blank=True)
    at = models.DateTimeField()


class LawMark(AppendOnly):
    """Somebody of the rules says whether a ruling is right. The newest mark counts."""

    ruling = models.ForeignKey(Ruling, on_delete=models.PROTECT, related_name="marks")
    number = models.PositiveSmallIntegerField(help_text="1, 2, ...: two at once cannot both be the newest")
    side = models.CharField(max_length=10, choices=Ruling.PrecedentStatus.choices)
    reason = models.CharField(max_length=300)
    seen = models.JSONField(
        default=dict, help_text="The law looked at: rule -> hash of its sentence, empty where it is gone."
    )
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["ruling", "number"]
        constraints = [models.UniqueConstraint(fields=["ruling", "number"], name="marks_are_numbered")]


class Precedent(models.Model):
    """A ruling told to everybody: the question, the facts and the reasons, in words that name nobody.

    Its texts are its own and never change; it can be withdrawn, as when a name slipped through.
    """

    ruling = models.OneToOneField(Ruling, on_delete=models.PROTECT, related_name="precedent")
    question = models.CharField(max_length=200)
    facts = models.JSONField(default=list, help_text="As a ruling's.")
    verdict = models.CharField(max_length=300)
    explanation = models.TextField(blank=True)
    words = models.TextField()
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    published_at = models.DateTimeField()
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-published_at", "-pk"]


# --- another law: the disputes put to the engine again ---------------------------------------------------


class LawRun(models.Model):
    """Every recorded dispute of a system put to the engine again under the law now in force (docs/jobs.md).

    The work is in its items' adjudications; the sweep lays them into the queue a few at a time.
    """

    system = models.CharField(max_length=40)
    system_version = models.CharField(max_length=40)
    system_hash = models.CharField(max_length=64)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    asked_at = models.DateTimeField()
    total = models.PositiveIntegerField(help_text="Disputes to ask again.")
    reached = models.BigIntegerField(
        default=0, help_text="Adjudications up to this number are laid into the queue."
    )
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-asked_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["system", "system_hash"],
                condition=Q(finished_at=None),
                name="one_run_under_way_per_law",
            )
        ]


class LawRunItem(models.Model):
    """One dispute of such a run: what the engine answered before, and the run under the law now in force."""

    run = models.ForeignKey(LawRun, on_delete=models.CASCADE, related_name="items")
    before = models.ForeignKey(Adjudication, on_delete=models.PROTECT, related_name="+")
    after = models.ForeignKey(
        Adjudication,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="Empty: the situation cannot be told under this law.",
    )
    failure = models.TextField(blank=True, help_text="Why it cannot.")

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["run", "before"], name="a_run_asks_a_dispute_once")]


# --- the table: a situation that is being laid out ------------------------------------------------------


class Table(models.Model):
    """A judge's table: what lies on it, and the lines of play tried from there. Its owner's alone, saved at every step.

    `lines` is a list of {"name": str, "steps": [[number, words], ...]}: which option was taken at each decision, by its
    number and its words, so that a line survives a change of what lies on the table as far as it still goes.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tables")
    title = models.CharField(max_length=200, blank=True)
    scenario = JSONText(
        help_text="The situation before the first move, canonical; `ask` holds the questions."
    )
    found = JSONText(default=dict, help_text="Facts the judge found: place -> reason.")
    lines = JSONText(default=list)
    filing_at = models.CharField(
        max_length=200,
        blank=True,
        help_text="The page on which a dispute from here is filed; empty: its owner's own.",
    )
    opened_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    class Meta:
        ordering = ["-changed_at", "-pk"]
        indexes = [models.Index(fields=["owner", "-changed_at"])]


# --- cards that an operator imported with their texts ------------------------------------------------------


class ImportedCard(models.Model):
    """A card of imported card data: what its rows say, its text among it, and what that was understood as.

    It can be named in a scenario; what it means is written into the scenario then, so that an answer keeps it, whatever
    is imported later.
    """

    system = models.CharField(max_length=40)
    key = models.CharField(max_length=200, help_text="The name folded for comparison (system_files.fold).")
    name = models.CharField(max_length=200)
    rows = JSONText(help_text="What the source says of each printing: column -> value.")
    facts = JSONText(default=dict, help_text="Those of the catalog.")
    changes = models.PositiveIntegerField(default=0, help_text="How often an import said something else.")
    grammar = models.CharField(
        max_length=64,
        blank=True,
        help_text="By what it was read (rules.texts.imported.grammar); empty: not yet.",
    )
    meaning = JSONText(null=True, help_text="As rules.texts.imported.Meaning has it.")
    whole = models.BooleanField(default=False, help_text="Is all of it understood?")

    class Meta:
        ordering = ["key"]
        constraints = [models.UniqueConstraint(fields=["system", "key"], name="one_imported_card_per_name")]
        indexes = [models.Index(fields=["system", "grammar"])]
