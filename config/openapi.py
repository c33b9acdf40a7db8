"""What the API's document says about every route alike: how errors look (config.errors.UserError.as_json)."""

from typing import Any

PROBLEM = {
    "type": "object",
    "description": "Something the asker can mend.",
    "required": ["code", "message", "place", "remedy", "details"],
    "properties": {
        "code": {"type": "string", "description": "A stable word, for programs."},
        "message": {"type": "string", "description": "What is wrong, in a sentence."},
        "place": {"type": "string", "description": "Where: a field, a line, a path; may be empty."},
        "remedy": {"type": "string", "description": "What to do; may be empty."},
        "details": {"type": "object", "additionalProperties": True},
    },
}


def document_errors(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """drf-spectacular's hook: give every operation the one error answer."""
    result["components"]["schemas"]["Problem"] = PROBLEM
    answer = {
        "description": "Refused; nothing was stored.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for path in result["paths"].values():
        for operation in path.values():
            operation["responses"]["4XX"] = answer
    return result
