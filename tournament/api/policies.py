"""The API of policies. Views translate; selectors and services check and decide."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournament import selectors, services
from tournament.api.pages import EventView, ListView
from tournament.api.serializers import ExplanationField, PolicyOut
from tournament.models import PolicyVersion
from tournament.policy.model import Policy
from tournament.policy.policy_files import exported
from tournament.selectors.policies import policies, policy_current


class PolicyIn(serializers.Serializer[Any]):
    text = serializers.CharField(trim_whitespace=False, help_text="A policy file, YAML or JSON.")
    note = serializers.CharField(required=False, allow_blank=True, default="", max_length=200)


class PolicyWhole(PolicyOut):
    document = ExplanationField(read_only=True, help_text="The full form of the policy, including penalties.")
    file = serializers.SerializerMethodField(help_text="The same as a file.")

    def get_file(self, policy: Policy) -> str:
        return exported(policy.document)


class PolicyVersionOut(serializers.ModelSerializer[PolicyVersion]):
    author = serializers.CharField(source="author.username")

    class Meta:
        model = PolicyVersion
        fields = ["key", "number", "title", "note", "author", "made_at"]


class Policies(ListView):
    @extend_schema(operation_id="policies_list", responses=PolicyOut(many=True))
    def get(self, request: Request) -> Response:
        """The tournament policies an event can use."""
        return self.page(list(policies().values()), PolicyOut, request)

    @extend_schema(operation_id="policy_publish", request=PolicyIn, responses={201: PolicyVersionOut})
    def post(self, request: Request) -> Response:
        """Publish a policy of your own, or a new version of it. Events that have begun keep theirs."""
        asked = self.body(PolicyIn, request)
        version = services.policy_publish(
            source=asked["text"], note=asked["note"], by=self.asker(request), now=timezone.now()
        )
        return Response(PolicyVersionOut(version).data, status=201)


class OnePolicy(EventView):
    @extend_schema(operation_id="policy_read", responses=PolicyWhole)
    def get(self, request: Request, key: str) -> Response:
        """A policy with everything in it."""
        return Response(PolicyWhole(policy_current(key)).data)


class EventPolicy(EventView):
    @extend_schema(operation_id="event_policy_read", responses=PolicyWhole)
    def get(self, request: Request, slug: str) -> Response:
        """The event's policy, with every number; it is pinned when round 1 is paired."""
        event = selectors.access_event(request.user, slug)
        return Response(PolicyWhole(selectors.policy_of(event)).data)
