"""What a finding's code means, for people: one page per code."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Explanation:
    title: object
    meaning: object
    mend: object


_EXACT: dict[str, Explanation] = {
    "too-many-copies": Explanation(
        _("Too many copies of a card"),
        _(
            "The deck holds more copies of one card than it may. All sections of the deck are counted "
            "together, and cards of one title are one card, whatever is written under the title."
        ),
        _(
            "Take out what is above the number. If the card's own text allows more, tell the organizer: our "
            "card data may lack it, and an event can change the rule."
        ),
    ),
    "too-few-cards": Explanation(
        _("Too few cards"),
        _(
            "A part of the deck is smaller than its rule demands. Cards under the headings of other parts do "
            "not count here, and some cards never count (weaknesses, permanent cards) where the game says "
            "so."
        ),
        _("Add cards, or look whether a heading put some of them into another part of the deck."),
    ),
    "too-many-cards": Explanation(
        _("Too many cards"),
        _(
            "A part of the deck is larger than it may be; some games fix the size exactly, some have no side "
            "deck at all."
        ),
        _("Take cards out, or look whether a heading put cards here that belong elsewhere."),
    ),
    "empty-list": Explanation(
        _("No card in the deck"),
        _("Lines were read, but none of their cards belongs to the deck itself."),
        _("Put one card a line, such as “3x Card name”, not under the heading of a set-aside part."),
    ),
    "banned": Explanation(
        _("A banned card"),
        _("The list in force on the event's day bans this title: no copy may be in a deck."),
        _(
            "Take it out. On another day another list may hold; the deck's page shows since when it is "
            "banned."
        ),
    ),
    "limited": Explanation(
        _("Fewer copies than usual"),
        _("The list in force on the event's day allows fewer copies of this title than the rules alone."),
        _("Take out what is above the number."),
    ),
    "restricted": Explanation(
        _("More than one restricted title"),
        _(
            "A deck may use one title of the restricted list, in as many copies as the rules allow; choosing "
            "one shuts out all the others."
        ),
        _("Keep one of the named titles and take out the others."),
    ),
    "excluded-together": Explanation(
        _("Cards that exclude each other"),
        _("These cards may each be played, but not in one deck."),
        _("Choose one side and take out the other."),
    ),
    "too-many-points": Explanation(
        _("More points than allowed"),
        _("The list gives some cards points, and a deck may hold only so many points."),
        _("Take out cards until their points are within the limit."),
    ),
    "over-budget": Explanation(
        _("More than the deck can pay for"),
        _(
            "The cards cost more of something (influence, experience) than the deck has; a list may add to "
            "their price."
        ),
        _("Take out cards until the sum is within the limit."),
    ),
    "not-in-pool": Explanation(
        _("A card outside the pool"),
        _(
            "The format or the list in force does not use this card: another edition, another arc, a set "
            "that left."
        ),
        _("Take it out, or ask whether the event plays another pool."),
    ),
    "wrong-type": Explanation(
        _("No deck card"),
        _("Cards of this type are never part of a player's deck."),
        _("Take it out of the list, or put it under the heading of the part it belongs to."),
    ),
    "wrong-section": Explanation(
        _("A card in the wrong part"),
        _(
            "The deck has parts for different types of cards, and this one stands in a part that does not "
            "take its type."
        ),
        _("Move the line under the right heading."),
    ),
    "not-a-specialty": Explanation(
        _("Only specialties and a starter deck are named"),
        _("The specialties determine every card of the deck, so single cards are not listed."),
        _("Write the deck as “[Fire/Growth/Finesse] + Red”."),
    ),
    "wrong-starter": Explanation(
        _("A starter deck of another colour"),
        _("The starter deck has the colour of one of the heroes."),
        _("Take the starter deck of one of your heroes' colours."),
    ),
    "disloyal": Explanation(
        _("Loyal to another clan"),
        _("A loyal card is only in decks of its own clan."),
        _("Take it out, or play its clan's stronghold."),
    ),
    "not-allowed-here": Explanation(
        _("Not among the cards this deck may draw on"),
        _(
            "The leader's own card says which classes, traits and levels its deck may hold; this card is "
            "none of them, or is shut out by name."
        ),
        _("Take it out. Some cards of the deck (such as one that makes it versatile) let others in."),
    ),
    "too-many-by-option": Explanation(
        _("Too many cards from a limited option"),
        _(
            "The leader lets some cards in only in small number. All ways of counting them were tried; none "
            "fits."
        ),
        _("Take out as many of the named cards as the finding says."),
    ),
    "not-for-this-leader": Explanation(
        _("Made for another leader"),
        _("This card may only be in decks of the leaders it names."),
        _("Take it out."),
    ),
    "missing-required-card": Explanation(
        _("A required card is missing"),
        _(
            "The leader's own card demands cards that belong to it, good ones and weaknesses, in all their "
            "copies; for some there are replacements."
        ),
        _("Add the missing copies, or the replacement."),
    ),
    "choice-missing": Explanation(
        _("A choice was not made"),
        _(
            "The leader leaves something to the player (a second class, a trait, the size of the deck), and "
            "the list does not say what was chosen."
        ),
        _("Choose in your deck program and export again."),
    ),
    "demand-not-met": Explanation(
        _("Too few cards of some kinds"),
        _("The leader demands a number of cards of several classes or types."),
        _("Add cards of the kinds that fall short; the finding counts them."),
    ),
    "level-too-high": Explanation(
        _("A level nobody may have"),
        _("The card's level, with what was bought on it, is above what any leader may use."),
        _("Take it out, or fewer upgrades."),
    ),
    "experience": Explanation(
        _("What the deck costs in experience"),
        _("A sum for information. What may be spent depends on the campaign, which the list does not show."),
        _("Nothing to mend, unless your event sets a limit."),
    ),
    "upgrade-cost": Explanation(
        _("What the changes cost"),
        _(
            "The experience that the changes since the version before cost, where it is within what was earned."
        ),
        _("Nothing to mend."),
    ),
    "upgrade-too-dear": Explanation(
        _("More experience spent than earned"),
        _(
            "A card that came costs its level in experience, at least 1; a higher version of a card that was in the "
            "deck costs the difference. Together the changes cost more than was there to spend. With a card in the "
            "deck that changes prices this is not certain."
        ),
        _("Take some changes back, or correct the experience that was earned."),
    ),
    "wrong-contents": Explanation(
        _("A set that is not whole"),
        _(
            "The list writes out the cards of a specialty or a starter deck. These come as a whole: so many copies of "
            "each card, none added and none left out."
        ),
        _("Write all its cards in the right number, or just its name."),
    ),
    "unknown-card": Explanation(
        _("A name we do not know"),
        _(
            "No card we hold has this name. While our card data is incomplete that says nothing about the "
            "deck; when it is complete, there is no such card."
        ),
        _(
            "Compare the spelling with the suggestions. If it is right, an organizer can import the missing "
            "cards."
        ),
    ),
    "no-card-data": Explanation(
        _("No card data of the game"),
        _(
            "The service holds no cards of this game, so it can count a list but says nothing about what its cards "
            "allow or forbid."
        ),
        _("An administrator imports the game’s card data once; then every list can be checked again."),
    ),
    "unread-line": Explanation(
        _("A line that may hold a card"),
        _("The line could not be read as a card, a heading or a remark. It was kept, not counted."),
        _("Put a count before a card (“1x Name”), a colon behind a heading, # before a remark."),
    ),
    "other-list": Explanation(
        _("A list of restrictions that was not applied"),
        _(
            "The deck names a list that the format does not have, or the event names another: that one was applied."
        ),
        _("Name a list that the format has, or have the organizer say which one holds."),
    ),
    "outside-known-timeline": Explanation(
        _("A day whose list we do not know"),
        _(
            "The list that was in force on this day is not known to us, or not in full. The nearest known "
            "one was applied; what it finds is not certain, and nothing was invented."
        ),
        _("The organizer says which list is in force: an event can name it."),
    ),
}

_FAMILIES: dict[str, Explanation] = {
    "too-few-": Explanation(
        _("Too few cards of a kind"),
        _("The deck needs more cards of this kind than it has."),
        _("Add them, or look whether they stand under the heading they belong to."),
    ),
    "too-many-": Explanation(
        _("Too many cards of a kind"),
        _("The deck may hold fewer cards of this kind than it has."),
        _("Take some out, or put them under the heading they belong to."),
    ),
    "unknown-": Explanation(
        _("A fact of a card we do not know"),
        _("A rule asks for something of this card (its type, its edition) that our card data does not say."),
        _("Compare the card itself; an organizer can complete the card data."),
    ),
}


def explained(code: str) -> Explanation | None:
    """The explanation of a code, or of its family; None when nothing of the kind is known."""
    if code in _EXACT:
        return _EXACT[code]
    return next((one for prefix, one in _FAMILIES.items() if code.startswith(prefix)), None)


def codes() -> tuple[str, ...]:
    """Every code with an explanation of its own."""
    return tuple(_EXACT)
