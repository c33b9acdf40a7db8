"""Pages of `rules`."""

from django.urls import URLPattern, path

from rules.views import disputes, law, precedents, review, rulings, table_ask, table_play, tables

urlpatterns: list[URLPattern] = [
    path("", law.system_list, name="system-list"),
    path("disputes/", disputes.dispute_list, name="dispute-list"),
    path("disputes/ask", disputes.dispute_ask, name="dispute-ask"),
    path("disputes/<int:pk>", disputes.dispute_page, name="dispute"),
    path("disputes/<int:pk>/case.yaml", disputes.dispute_case, name="dispute-case"),
    path("precedents/", precedents.precedent_search, name="precedents"),
    path("precedents/<int:pk>", precedents.precedent_page, name="precedent"),
    path("rulings/<int:pk>", rulings.ruling_law, name="ruling-law"),
    path("rulings/<int:pk>/case.yaml", precedents.candidate, name="candidate"),
    path("groups/", precedents.group_list, name="card-groups"),
    path("groups/<int:pk>", precedents.group_page, name="card-group"),
    path("review/", review.review, name="review"),
    path("review/<int:pk>", review.law_run, name="law-run"),
    path("table/", tables.table_list, name="table-list"),
    path("table/<int:pk>/", tables.table_cards, name="table"),
    path("table/<int:pk>/cards/<str:key>", tables.table_card, name="table-card"),
    path("table/<int:pk>/describe", tables.table_describe, name="table-describe"),
    path("table/<int:pk>/moment", tables.table_moment, name="table-moment"),
    path("table/<int:pk>/play", table_play.table_play, name="table-play"),
    path("table/<int:pk>/why", table_play.table_why, name="table-why"),
    path("table/<int:pk>/compare", table_play.table_compare, name="table-compare"),
    path("table/<int:pk>/ask", table_ask.table_ask, name="table-ask"),
    path("table/<int:pk>/scenario.yaml", table_ask.table_file, name="table-file"),
    path("table/<int:pk>/clear", tables.table_clear, name="table-clear"),
    path("<slug:key>/", law.system_detail, name="system-detail"),
    path("<slug:key>/charts", law.system_charts, name="system-charts"),
    path("<slug:key>/law/<str:rule>", law.system_rule, name="system-rule"),
    path("<slug:key>/cases/", law.case_list, name="case-list"),
    path("<slug:key>/cases/<slug:name>", law.case_page, name="case"),
    path("<slug:key>/words", law.system_words, name="system-words"),
]
