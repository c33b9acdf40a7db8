"""What a finding's code means, for pages in a different language from the finding's sentence."""

from django import template

from decks.judging.explanations import Explanation, explained

register = template.Library()


@register.filter
def meaning(code: str) -> Explanation | None:
    """`{% with meant=finding.code|meaning %}`"""
    return explained(code)
