"""The texts of the system files that people read, for the translators' catalog (config.translations.DATA)."""

from rules.engine.compiler.texts import texts
from rules.law.system_files import chapters, moments, systems


def texts_by_file() -> dict[str, list[str]]:
    """File, in the app's folder -> its texts, each once, in the order of the file."""
    return {
        f"systems/{one.key}.yaml": list(
            dict.fromkeys(
                [*texts(one.source, one.properties), *moments(one.key).values(), *chapters(one.key).values()]
            )
        )
        for one in systems()
    }
