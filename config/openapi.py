"""The parts of the OpenAPI document that all routes share: how errors look (config.errors.UserError.as_json)."""

from typing import Any

from drf_spectacular.openapi import AutoSchema

PROBLEM = {
    "type": "object",
    "description": "An error that the person or program can fix.",
    "required": ["code", "message", "place", "remedy", "details"],
    "properties": {
        "code": {"type": "string", "description": "A stable word for programs."},
        "message": {"type": "string", "description": "What is wrong, in a sentence."},
        "place": {"type": "string", "description": "Where: a field, a line or a path; may be empty."},
        "remedy": {"type": "string", "description": "What to do; may be empty."},
        "details": {"type": "object", "additionalProperties": True},
    },
}


HEADERS = {
    "Idempotency-Key": "A new random word. If the same request is sent again with it, the change happens once and the "
    "first answer is sent again. 422 if the key was used for a different request, 409 while the first one is running.",
    "If-Match": "The ETag of a read of this address; 412 if it has changed since.",
    "If-None-Match": "The ETag of your last read; 304 if nothing has changed.",
}


class Schema(AutoSchema):
    """Says of each operation what config.api does for it: what its address may ask for, headers, a token's scope."""

    def get_override_parameters(self) -> list[Any]:
        return [shape] if (shape := getattr(self.view, "asks", {}).get(self.method)) else []

    def get_operation(self, *args: Any, **kwargs: Any) -> Any:
        operation = super().get_operation(*args, **kwargs)
        if operation is None:
            return None
        if self.method == "GET":
            names = ["If-None-Match"]
            operation["responses"]["304"] = {"description": "Nothing has changed."}
        else:
            needs = getattr(self.view, "needs_scope", None)
            operation["x-token-scope"] = needs or "none"
            names = ["Idempotency-Key"] if getattr(self.view, "changes", False) else []
            names += ["If-Match"] if names and hasattr(self.view, "get") else []
        operation.setdefault("parameters", []).extend(
            {"in": "header", "name": name, "schema": {"type": "string"}, "description": HEADERS[name]}
            for name in names
        )
        return operation


def document_errors(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """drf-spectacular's hook: give every operation the one error answer."""
    _files_go_in_forms(result)
    _sent_and_answered(result)
    result["components"]["schemas"]["Problem"] = PROBLEM
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    result["components"]["responses"] = {
        "Refused": {"description": "Refused. Nothing was stored.", "content": content},
        "Away": {
            "description": "Not possible now (the database restarts, the disk is full). Try again a little later.",
            "content": content,
        },
    }
    for path in result["paths"].values():
        for operation in path.values():
            operation["responses"]["4XX"] = {"$ref": "#/components/responses/Refused"}
            operation["responses"]["503"] = {"$ref": "#/components/responses/Away"}
    return result


def _files_go_in_forms(result: dict[str, Any]) -> None:
    """Where a list can be sent as JSON or as a form, the file is the form's: bytes there, not in JSON at all."""
    schemas = result["components"]["schemas"]
    for path in result["paths"].values():
        for operation in path.values():
            content = operation.get("requestBody", {}).get("content", {})
            if not {"application/json", "multipart/form-data"} <= set(content):
                continue
            named = content["application/json"].get("schema", {}).get("$ref", "")
            whole = schemas.get(named.rpartition("/")[2], {})
            if "file" not in whole.get("properties", {}):
                continue
            whole["properties"]["file"] |= {"type": "string", "format": "binary"}
            content["application/json"]["schema"] = {
                **{key: value for key, value in whole.items() if key != "properties"},
                "properties": {key: value for key, value in whole["properties"].items() if key != "file"},
            }
            if "file" in whole.get("required", []):  # nothing is left to send as JSON
                del content["application/json"]


def _sent_and_answered(result: dict[str, Any]) -> None:
    """What is sent must not be blank unless a field says so (ENFORCE_NON_BLANK_FIELDS), and has known fields alone;
    what is answered may be blank."""
    schemas = result["components"]["schemas"]
    operations = [operation for path in result["paths"].values() for operation in path.values()]
    sent = _reached([operation.get("requestBody", {}) for operation in operations], schemas)
    for name in _reached([operation["responses"] for operation in operations], schemas) - sent:
        for field in schemas[name].get("properties", {}).values():
            _unbound(field)
    for name in sent:
        if "properties" in schemas[name]:
            schemas[name]["additionalProperties"] = False  # config.request_validation


def _unbound(field: dict[str, Any]) -> None:
    field.pop("minLength", None)
    for inner in (field.get("items"), field.get("additionalProperties")):
        if isinstance(inner, dict):
            _unbound(inner)


def _reached(value: Any, schemas: dict[str, Any]) -> set[str]:
    """The names of the schemas that something refers to, however far away."""
    found: set[str] = set()
    waiting = [value]
    while waiting:
        match waiting.pop():
            case {"$ref": str(where)} if where.startswith("#/components/schemas/"):
                name = where.rpartition("/")[2]
                if name not in found:
                    found.add(name)
                    waiting.append(schemas[name])
            case dict() as mapping:
                waiting.extend(mapping.values())
            case list() as several:
                waiting.extend(several)
    return found
