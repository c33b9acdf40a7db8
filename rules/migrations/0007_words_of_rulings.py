"""Rulings from before they could be searched: their question, system, cards and words."""

from django.db import migrations


def fill(apps, schema_editor):
    from rules.scenarios import likeness
    from rules.law.system_files import fold

    ruling_card = apps.get_model("rules", "RulingCard")
    rulings = apps.get_model("rules", "Ruling").objects
    for ruling in rulings.filter(words="").select_related("dispute", "adjudication").iterator():
        laid = ruling.dispute.scenario
        system = laid.get("system", "")
        names = likeness.cards_of(laid)
        said = [ruling.dispute.title, ruling.verdict, ruling.explanation, *names]
        rulings.filter(pk=ruling.pk).update(
            question=ruling.dispute.title,
            system=system,
            citations=[{"system": system, **one} for one in ruling.citations],
            form=likeness.form_of(laid) if laid else "",
            happens=likeness.happens_of(ruling.adjudication.answer if ruling.adjudication else None, names),
            words=likeness.folded(" ".join(said)),
        )
        for name in {fold(name): name for name in names}.values():
            ruling_card.objects.create(ruling=ruling, name=name[:120], fold=fold(name)[:120])


class Migration(migrations.Migration):
    dependencies = [("rules", "0006_rulings")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop, elidable=True)]
