"""Pages of `rules`."""

from django.urls import URLPattern, path

from rules import views

urlpatterns: list[URLPattern] = [
    path("", views.system_list, name="system-list"),
    path("disputes/", views.dispute_list, name="dispute-list"),
    path("disputes/ask", views.dispute_ask, name="dispute-ask"),
    path("disputes/<int:pk>", views.dispute_page, name="dispute"),
    path("<slug:key>/", views.system_detail, name="system-detail"),
    path("<slug:key>/words", views.system_words, name="system-words"),
]
