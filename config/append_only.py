"""Rows that are never changed: reports, rulings, the audit log. A correction is a new row."""

from typing import Any, NoReturn

from django.db import models


class AppendOnlyQuerySet(models.QuerySet[Any]):
    def update(self, **kwargs: Any) -> NoReturn:
        raise RuntimeError(f"{self.model.__name__} rows are written once")

    def delete(self) -> NoReturn:
        raise RuntimeError(f"{self.model.__name__} rows are never deleted")


class AppendOnly(models.Model):
    """Neither changed nor deleted through the ORM, one by one or in bulk."""

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise RuntimeError(f"{type(self).__name__} rows are written once")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(f"{type(self).__name__} rows are never deleted")
