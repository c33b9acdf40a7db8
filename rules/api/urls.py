"""API routes of `rules`, under /api/v1/."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
