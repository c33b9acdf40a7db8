"""Explains each finding's code in plain words, one page per code."""

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
            "The deck has more copies of one card than allowed. All sections of the deck count together, "
            "and cards with the same title are the same card, even with different subtitles."
        ),
        _(
            "Remove the extra copies. If the card’s own text allows more, tell the organizer: our card "
            "data may be missing it, and an event can change the rule."
        ),
    ),
    "too-few-cards": Explanation(
        _("Too few cards"),
        _(
            "A section of the deck is smaller than the rules require. Cards under other headings don’t "
            "count here, and in some games certain cards never count (weaknesses, permanent cards)."
        ),
        _("Add cards, or check whether a heading put some of them into another section."),
    ),
    "too-many-cards": Explanation(
        _("Too many cards"),
        _(
            "A section of the deck is larger than allowed. Some games fix the exact size, and some have no "
            "side deck."
        ),
        _("Remove cards, or check whether a heading put cards here that belong elsewhere."),
    ),
    "empty-list": Explanation(
        _("No cards in the deck"),
        _("We read the lines, but none of the cards belongs to the deck itself."),
        _(
            "Write one card per line, for example “3x Card name”, and not under the heading of a set-aside "
            "section."
        ),
    ),
    "banned": Explanation(
        _("A banned card"),
        _(
            "The banned and restricted list in effect on the event’s legality date bans this title. No "
            "copies are allowed."
        ),
        _(
            "Remove it. A different list may apply on another date; the deck’s page shows since when the "
            "card has been banned."
        ),
    ),
    "limited": Explanation(
        _("Fewer copies than usual"),
        _(
            "The banned and restricted list in effect on the event’s legality date allows fewer copies of "
            "this title than the basic rules."
        ),
        _("Remove the extra copies."),
    ),
    "restricted": Explanation(
        _("More than one restricted title"),
        _(
            "A deck may use one restricted title, in as many copies as the rules allow. Once you choose "
            "one, no other restricted title is allowed."
        ),
        _("Keep one of these titles and remove the others."),
    ),
    "excluded-together": Explanation(
        _("Cards that can’t be combined"),
        _("Each of these cards is allowed, but not in the same deck."),
        _("Keep one side and remove the other."),
    ),
    "too-many-points": Explanation(
        _("More points than allowed"),
        _("The list gives some cards points, and limits the points in a deck."),
        _("Remove cards until the points are within the limit."),
    ),
    "over-budget": Explanation(
        _("Over the deck’s budget"),
        _(
            "The cards cost more (influence, experience) than the deck has. A restriction list may raise "
            "the cost."
        ),
        _("Remove cards until the total is within the limit."),
    ),
    "not-in-pool": Explanation(
        _("A card outside the card pool"),
        _(
            "The format, or the restriction list in effect, doesn’t use this card: it is from another "
            "edition, another arc, or a set that has rotated out."
        ),
        _("Remove it, or ask whether the event uses a different card pool."),
    ),
    "wrong-type": Explanation(
        _("Not a deck card"),
        _("Cards of this type never belong in a player’s deck."),
        _("Remove it, or move it under the heading of the section it belongs to."),
    ),
    "wrong-section": Explanation(
        _("A card in the wrong section"),
        _(
            "The deck has sections for different card types, and this card is in a section that doesn’t "
            "take its type."
        ),
        _("Move the line under the right heading."),
    ),
    "not-a-specialty": Explanation(
        _("Only specialties and a starter deck are listed"),
        _("The specialties determine every card of the deck, so single cards aren’t listed."),
        _("Write the deck as “[Fire/Growth/Finesse] + Red”."),
    ),
    "wrong-starter": Explanation(
        _("A starter deck of the wrong color"),
        _("The starter deck must have the color of one of the heroes."),
        _("Use a starter deck in one of your heroes’ colors."),
    ),
    "disloyal": Explanation(
        _("Loyal to another clan"),
        _("A loyal card is only allowed in decks of its own clan."),
        _("Remove it, or play its clan’s stronghold."),
    ),
    "not-allowed-here": Explanation(
        _("Not a card this deck may use"),
        _(
            "The leader’s card says which classes, traits and levels its deck may use. This card has none "
            "of them, or is excluded by name."
        ),
        _("Remove it, or add a card that allows it (such as one that makes the deck versatile)."),
    ),
    "too-many-by-option": Explanation(
        _("Too many cards from a limited option"),
        _("The leader allows only a few of some cards. We tried every way of counting them; none fits."),
        _("Remove as many of these cards as the problem says."),
    ),
    "not-for-this-leader": Explanation(
        _("Made for another leader"),
        _("This card is only allowed in decks of the leaders it names."),
        _("Remove it."),
    ),
    "missing-required-card": Explanation(
        _("A required card is missing"),
        _(
            "The leader’s card requires cards that belong to it, both good ones and weaknesses, in all "
            "their copies. Some have replacements."
        ),
        _("Add the missing copies or their replacements."),
    ),
    "choice-missing": Explanation(
        _("A choice was not made"),
        _(
            "The leader leaves a choice to the player (a second class, a trait, the deck size), and the "
            "decklist doesn’t say what you chose."
        ),
        _("Make the choice in your deck builder and export the deck again."),
    ),
    "demand-not-met": Explanation(
        _("Too few cards of some kinds"),
        _("The leader requires a number of cards of certain classes or types."),
        _("Add cards of the missing kinds; the problem says how many."),
    ),
    "level-too-high": Explanation(
        _("A level no one may use"),
        _("The card’s level, including its upgrades, is higher than any leader may use."),
        _("Remove it, or use fewer upgrades."),
    ),
    "experience": Explanation(
        _("Experience cost of the deck"),
        _("For information. How much may be spent depends on the campaign, which the decklist doesn’t show."),
        _("Nothing to fix, unless your event sets a limit."),
    ),
    "upgrade-cost": Explanation(
        _("Cost of the changes"),
        _("The experience the changes since the previous version cost, within what was earned."),
        _("Nothing to fix."),
    ),
    "upgrade-too-dear": Explanation(
        _("More experience spent than earned"),
        _(
            "A new card costs its level in experience, at least 1. A higher version of a card already in "
            "the deck costs the difference. Together the changes cost more than was earned. If a card in "
            "the deck changes prices, this isn’t certain."
        ),
        _("Undo some changes, or correct the experience earned."),
    ),
    "wrong-contents": Explanation(
        _("An incomplete set"),
        _(
            "The decklist names the cards of a specialty or a starter deck. These come complete, with a "
            "fixed number of each card: you can’t add or leave out any."
        ),
        _("List all its cards in the right numbers, or just its name."),
    ),
    "unknown-card": Explanation(
        _("Unknown card name"),
        _(
            "No card in our catalog has this name. If the catalog is incomplete, the card may still exist; "
            "if it is complete, the card doesn’t exist."
        ),
        _(
            "Check the spelling against the suggestions. If it’s right, ask an organizer to have the "
            "missing cards imported."
        ),
    ),
    "mostly-unknown": Explanation(
        _("Most names are unknown"),
        _(
            "Most names of this list are no cards that we know. It may be of another game, in another language, or "
            "written in a way that we don’t read. So nothing on it is certain."
        ),
        _("Check the game, and write each card’s English name with its number, such as “3x Card name”."),
    ),
    "no-card-data": Explanation(
        _("No card data for this game"),
        _(
            "We have no cards for this game, so we can count a deck but can’t say whether its cards are "
            "allowed."
        ),
        _(
            "Ask an administrator to import the game’s card data. After that, every deck can be checked "
            "again."
        ),
    ),
    "unread-line": Explanation(
        _("A line that may be a card"),
        _("We couldn’t read this line as a card, a heading or a comment. It was kept but not counted."),
        _("Put a number before a card (“1x Name”), a colon after a heading, or # before a comment."),
    ),
    "unknown-heading": Explanation(
        _("A heading we don’t know"),
        _(
            "We can’t tell whether the cards under this heading are in the deck. We checked the list both with and "
            "without them; only what is wrong either way counts as wrong."
        ),
        _(
            "Write “Deck” over these cards if they are in the deck, “Sideboard” or “Considered” if they are not."
        ),
    ),
    "unknown-subtitle": Explanation(
        _("A subtitle we don’t know"),
        _(
            "The title is a card’s, and the card was counted. The words after the title are on no printing we know."
        ),
        _("If you mean a different card, write its name as printed."),
    ),
    "other-list": Explanation(
        _("A restriction list that wasn’t used"),
        _(
            "The deck names a restriction list the format doesn’t have, or the event uses a different "
            "one. The event’s list was used."
        ),
        _("Name a list the format has, or ask the organizer which one applies."),
    ),
    "over-influence": Explanation(
        _("Too much influence"),
        _(
            "Each copy of a card from another faction or clan costs the influence printed on it. The "
            "deck spends more than its identity or stronghold provides."
        ),
        _("Remove cards from other factions, or use cards that cost less."),
    ),
    "wrong-side": Explanation(
        _("A card from the other side"),
        _("A deck can only hold cards from its identity’s side."),
        _("Remove it."),
    ),
    "foreign-agenda": Explanation(
        _("An agenda of another faction"),
        _(
            "A deck can only hold neutral agendas and agendas of its own faction, however much influence it has."
        ),
        _("Remove it."),
    ),
    "not-yet-released": Explanation(
        _("A card from a later set"),
        _("No set with this card had been released by the event’s legality date."),
        _("Remove it, or check the event’s legality date."),
    ),
    "draft-card": Explanation(
        _("A card for drafts"),
        _("The card is from a set made for drafts, so it isn’t allowed in constructed decks."),
        _("Remove it, or name the version from another set."),
    ),
    "wrong-clan": Explanation(
        _("A card for another clan"),
        _("Only decks of certain clans can use this card, and the stronghold is from a different clan."),
        _("Remove it, or play a stronghold of its clan."),
    ),
    "wrong-role": Explanation(
        _("A card for another role"),
        _("Only decks with a certain role can use this card, and this deck has a different role or none."),
        _("Remove it, or play a role it asks for."),
    ),
    "wrong-provinces": Explanation(
        _("Provinces that don’t fit"),
        _(
            "A deck needs one province of each element; a role can let you replace one of them. "
            "Whichever element is chosen for provinces that have several, these five don’t fit."
        ),
        _("Replace a province of an element you have twice with one of the missing element."),
    ),
    "which-version": Explanation(
        _("A name shared by several cards"),
        _("The decklist doesn’t say which of these cards you mean, and a rule treats them differently."),
        _("Write the set after the name, as in the suggestions."),
    ),
    "outside-known-timeline": Explanation(
        _("A date whose list we don’t know"),
        _(
            "We don’t know the restriction list in effect on this date, or not all of it. We used the "
            "nearest known list, so this result isn’t certain."
        ),
        _("Ask the organizer which list is in effect. An event can name it."),
    ),
}

_FAMILIES: dict[str, Explanation] = {
    "too-few-": Explanation(
        _("Too few cards of a kind"),
        _("The deck needs more cards of this kind than it has."),
        _("Add them, or check whether they are under the right heading."),
    ),
    "too-many-": Explanation(
        _("Too many cards of a kind"),
        _("The deck has more cards of this kind than allowed."),
        _("Remove some, or move them under the right heading."),
    ),
    "unknown-": Explanation(
        _("Missing card data"),
        _(
            "A rule depends on something about this card (its type, its edition) that our card data "
            "doesn’t say."
        ),
        _("Check the card itself. An administrator can complete the card data."),
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
